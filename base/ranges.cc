// SPDX-License-Identifier: Apache-2.0
#include "base/ranges.h"

#include <charconv>
#include <iterator>

#include "base/text.h"

namespace inquest {
namespace {

// Two numbers are written one by one.
std::string Range(int64_t first, int64_t last) {
  std::string text = std::to_string(first);
  if (last == first) return text;
  return text + (last == first + 1 ? ", " : "–") + std::to_string(last);
}

}  // namespace

std::string FormatRanges(const std::set<int64_t>& numbers, size_t most) {
  std::string text;
  size_t ranges = 0;
  for (auto at = numbers.begin(); at != numbers.end(); ++ranges) {
    if (ranges == most) {
      const auto left = std::distance(at, numbers.end());
      return text + " and " + std::to_string(left) + " more";
    }
    const int64_t first = *at;
    int64_t last = first;
    while (++at != numbers.end() && *at == last + 1) ++last;
    if (ranges > 0) text += ", ";
    text += Range(first, last);
  }
  return text;
}

std::string RanksInWords(const std::set<int64_t>& ranks) {
  return (ranks.size() == 1 ? "rank " : "ranks ") +
         FormatRanges(ranks, kMaxRanges);
}

std::set<int64_t> NumbersIn(std::string_view text) {
  constexpr size_t kMaxNumbers = 1 << 20;
  std::set<int64_t> numbers;
  for (size_t at = 0; at < text.size() && numbers.size() < kMaxNumbers;) {
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

}  // namespace inquest
