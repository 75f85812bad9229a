// SPDX-License-Identifier: Apache-2.0
#include "analyzer/hangs/common/who.h"

#include <fmt/format.h>

#include <charconv>

#include "base/ranges.h"
#include "base/text.h"

namespace inquest::hangs {

std::string RanksInWords(const std::set<int64_t>& ranks) {
  return (ranks.size() == 1 ? "rank " : "ranks ") +
         FormatRanges(ranks, kMaxRanges);
}

std::string Listed(const std::vector<std::string>& names, size_t most) {
  std::string text;
  for (size_t i = 0; i < names.size() && i < most; ++i) {
    text += (text.empty() ? "" : ", ") + names[i];
  }
  if (names.size() <= most) return text;
  return text + fmt::format(" and {} more", names.size() - most);
}

std::set<int64_t> NumbersIn(std::string_view text) {
  constexpr size_t kMax = 1 << 20;
  std::set<int64_t> numbers;
  for (size_t at = 0; at < text.size() && numbers.size() < kMax;) {
    if (!IsDigit(text[at])) {
      ++at;
      continue;
    }
    int64_t value = 0;
    const auto [end, error] =
        std::from_chars(text.data() + at, text.data() + text.size(), value);
    if (error == std::errc()) numbers.insert(value);
    at = static_cast<size_t>(end - text.data());
  }
  return numbers;
}

}  // namespace inquest::hangs
