// SPDX-License-Identifier: Apache-2.0
// Native frames of the calling thread, by rules that are looked up once per
// place (frame_rules.h) and then kept in a table: some ten nanoseconds a frame,
// while the compiler's unwinder takes several hundred. It reads only the
// thread's own stack, and gives up at a frame that is not an ordinary one.
#pragma once

#include <cstdint>

#include "trace/records/records.h"

namespace inquest::collector {

// [begin, end): code whose frames are left out.
struct CodeRange {
  uintptr_t begin = 0;
  uintptr_t end = 0;
};

// Of the calling thread, from pthread_getattr_np; empty if unknown.
struct StackBounds {
  uintptr_t begin = 0;
  uintptr_t end = 0;
};

// False if it gave up, for example on a stack other than the thread's own (a
// coroutine's); the record must then be filled in another way.
bool UnwindFast(const CodeRange& own, const StackBounds& stack,
                trace::StackRecord* record);

}  // namespace inquest::collector
