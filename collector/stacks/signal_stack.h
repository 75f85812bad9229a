// SPDX-License-Identifier: Apache-2.0
// Whether the host calls us on an alternate signal stack with little room left:
// a handler that uses CUDA may run on 8 KiB, of which the kernel's frame takes
// half. Then no session begins and no call stack is taken. One system call; ask
// only where the stack is not known to be the thread's own.
#pragma once

namespace inquest::collector {

bool OnSmallSignalStack();

}  // namespace inquest::collector
