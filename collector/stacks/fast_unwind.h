// SPDX-License-Identifier: Apache-2.0
// Native frames of the calling thread, by rules that are looked up once a place
// (frame_rules.h) and then kept in a table: some ten nanoseconds a frame where
// the compiler's unwinder takes several hundred. It reads the thread's own
// stack only, and gives up where a frame is not an ordinary one.
#pragma once

#include <cstdint>

#include "trace/records/records.h"

namespace inquest::collector {

// [begin, end): code whose frames are left out.
struct CodeRange {
  uintptr_t begin = 0;
  uintptr_t end = 0;
};

// Of the calling thread, as pthread_getattr_np has it; empty where unknown.
struct StackBounds {
  uintptr_t begin = 0;
  uintptr_t end = 0;
};

// False when it gave up, as on another stack than the thread's own (a
// coroutine's); the record is to be filled in another way then.
bool UnwindFast(const CodeRange& own, const StackBounds& stack,
                trace::StackRecord* record);

}  // namespace inquest::collector
