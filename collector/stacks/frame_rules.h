// SPDX-License-Identifier: Apache-2.0
// How to step from a function's frame to its caller's, for one place in the
// code: read from the unwind tables of x86-64 binaries. Supports the small part
// of DWARF's call frame information that compilers use for ordinary functions;
// the rest (expressions, signal frames, realigned stacks) is reported as
// unusable and left to the compiler's unwinder.
//
// Formats: DWARF 5, section 6.4 (the instructions) and the Linux Standard Base
// Core specification, chapter "Exception Frames" (.eh_frame, .eh_frame_hdr).
// Reads mapped files only, allocates nothing. Any thread; takes the loader's
// lock for a moment.
#pragma once

#include <cstdint>

namespace inquest::collector {

// The canonical frame address (CFA) is what the caller's stack pointer was
// before the call; the return address is 8 bytes below it.
struct FrameRule {
  bool usable = false;
  bool outermost = false;  // nothing called it, or it has no tables
  bool from_rbp = false;   // CFA = rbp + cfa_offset, else rsp + cfa_offset
  bool saves_rbp = false;  // the caller's rbp is at CFA + rbp_offset
  int32_t cfa_offset = 0;  // bytes
  int32_t rbp_offset = 0;  // bytes
};

// `place` is inside the instruction that made the call.
FrameRule FindFrameRule(uintptr_t place);

// Changes when code was unloaded, after which rules may be stale.
uint64_t UnloadCount();

}  // namespace inquest::collector
