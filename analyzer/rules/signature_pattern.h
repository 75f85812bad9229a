// How every pattern of this program is compiled: UTF-8, no logging to stderr,
// bounded memory. Shared by the loader's checks and the signature set.
#pragma once

#include <re2/re2.h>

#include <algorithm>
#include <cstdint>

namespace inquest::rules {

// `max_memory` in bytes for one pattern, 0: RE2's default of 8 MiB.
inline re2::RE2::Options PatternOptions(int64_t max_memory) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  if (max_memory > 0) {
    options.set_max_mem(std::clamp<int64_t>(max_memory, 1 << 20, 8 << 20));
  }
  return options;
}

}  // namespace inquest::rules
