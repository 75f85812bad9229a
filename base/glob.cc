// SPDX-License-Identifier: Apache-2.0
#include "base/glob.h"

namespace inquest {

// On a mismatch the last star takes one more character; earlier stars need not
// be retried, since the last one can do whatever they could.
bool MatchesGlob(std::string_view pattern, std::string_view text) {
  size_t p = 0;
  size_t t = 0;
  size_t star = std::string_view::npos;
  size_t resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      if (p == pattern.size()) return true;
      resume = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::string_view GlobPrefix(std::string_view pattern) {
  return pattern.substr(0, pattern.find('*'));
}

}  // namespace inquest
