// Native call stacks as return addresses, unwound with the compiler's own
// tables by a private copy of its unwinder. Equal stacks share an id; the
// addresses go into the journal once. Frames of the collector are left out. A
// library without unwind tables ends its stacks early. Python frames are not
// seen. Costs some microseconds, next to nothing against an allocation.
#pragma once

#include <cstdint>

namespace inquest::collector {

// The id of the caller's stack; 0 when stacks are off, or too many different
// ones were seen (counted as loss), or there is nothing to see.
uint32_t CaptureStack();
// In a forked child: its trace knows none of the parent's.
void ForgetStacks();

}  // namespace inquest::collector
