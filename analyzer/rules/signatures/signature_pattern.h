// SPDX-License-Identifier: Apache-2.0
// The options with which all patterns are compiled: UTF-8, no logging to
// stderr, bounded memory. Shared by the loader's checks and the signature set.
#pragma once

#include <re2/re2.h>

#include <cstdint>

namespace inquest::rules {

// For one pattern: its program and its automata. Shipped patterns need a tenth
// of it; a pattern that needs more is refused.
constexpr int64_t kPatternBytes = 1 << 20;

// In characters; `rules lint` warns of longer ones.
constexpr size_t kMaxPatternLength = 160;

inline re2::RE2::Options PatternOptions(int64_t bytes = kPatternBytes) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(bytes);
  return options;
}

}  // namespace inquest::rules
