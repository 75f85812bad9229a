// SPDX-License-Identifier: Apache-2.0
#include "analyzer/logs/reader/log_openings.h"

#include <algorithm>
#include <utility>

#include "analyzer/logs/reader/log_repeats.h"
#include "analyzer/logs/reader/log_text.h"
#include "base/text.h"

namespace inquest::ingest {
namespace {

constexpr size_t kNowhere = std::string_view::npos;
constexpr size_t kLongestOpening = 1024;
constexpr size_t kLeastNeedle = 12;
constexpr int64_t kMostFound = 1000;  // before only the last of a block counts

// Of a line that is too long, only so much that this can be seen.
std::string_view LineAt(std::string_view text, size_t at) {
  const std::string_view most = text.substr(at, kLongestOpening + 1);
  return most.substr(0, most.find('\n'));
}

// Where the line with this position begins; kNowhere: too far before it.
size_t BeginOfLine(std::string_view text, size_t at) {
  const size_t from = at > kLongestOpening ? at - kLongestOpening : 0;
  const size_t feed = text.substr(from, at - from).rfind('\n');
  if (feed != kNowhere) return from + feed + 1;
  return from == 0 ? 0 : kNowhere;
}

// Not those of a rule, a bar or a launcher's label before nothing.
bool HasWords(std::string_view line) {
  return std::ranges::any_of(line, IsAlpha);
}

// The next line with words; kNowhere: there is none.
size_t NextWords(std::string_view text, size_t at) {
  while (at < text.size()) {
    const std::string_view line = LineAt(text, at);
    if (HasWords(line)) return at;
    at += line.size() + 1;
  }
  return kNowhere;
}

// The line with words before the one that begins there.
size_t WordsBefore(std::string_view text, size_t line) {
  while (line != kNowhere && line > 0) {
    line = BeginOfLine(text, line - 1);
    if (line == kNowhere || HasWords(LineAt(text, line))) return line;
  }
  return kNowhere;
}

// Equal for lines that differ in digits, colours and blanks around them.
uint64_t FormOf(std::string_view line) {
  std::string clean;
  if (NeedsCleaning(line)) {
    CleanText(line, &clean);
    line = clean;
  }
  return HashWithoutNumbers(Trim(line));
}

// The longest stretch of the raw line that every run writes alike.
std::string_view LongestWords(std::string_view line) {
  std::string_view longest;
  const auto ends = [](char c) {
    return IsDigit(c) || c == '\x1b' || c == '\r';
  };
  for (size_t at = 0; at < line.size();) {
    const auto* end = std::find_if(line.begin() + at, line.end(), ends);
    const auto length = static_cast<size_t>(end - (line.begin() + at));
    if (length > longest.size()) longest = line.substr(at, length);
    at += length + 1;
  }
  return longest;
}

bool IsBar(std::string_view line) {
  return line.find('\r') < line.size() - 1 || line.find("%|") != kNowhere;
}

}  // namespace

void Openings::Begin(std::string_view head) {
  const size_t one = NextWords(head, 0);
  if (one == kNowhere) return;
  const std::string_view first = LineAt(head, one);
  const size_t two = NextWords(head, one + first.size() + 1);
  if (two == kNowhere) return;
  const std::string_view second = LineAt(head, two);
  if (std::max(first.size(), second.size()) > kLongestOpening || IsBar(first) ||
      IsBar(second)) {
    return;
  }
  first_ = FormOf(first);
  second_ = FormOf(second);
  if (first_ == second_) return;
  const std::string_view in_first = LongestWords(first);
  const std::string_view in_second = LongestWords(second);
  in_second_ = in_second.size() > in_first.size();
  const std::string_view longest = in_second_ ? in_second : in_first;
  if (longest.size() >= kLeastNeedle) needle_ = longest;
}

bool Openings::OpensAt(std::string_view block, size_t line) const {
  const std::string_view first = LineAt(block, line);
  if (first.size() > kLongestOpening || FormOf(first) != first_) {
    return false;
  }
  const size_t next = NextWords(block, line + first.size() + 1);
  if (next == kNowhere) return false;
  const std::string_view second = LineAt(block, next);
  return second.size() <= kLongestOpening && FormOf(second) == second_;
}

std::vector<Openings::Place> Openings::Find(std::string_view block,
                                            int64_t offset,
                                            int64_t first_line) {
  std::vector<Place> places;
  if (needle_.empty()) return places;
  size_t counted = 0;
  size_t last = kNowhere;  // one line may have the needle twice
  int64_t line = first_line;
  for (size_t at = FindLinear(block, needle_, 0); at != kNowhere;
       at = FindLinear(block, needle_, at + needle_.size())) {
    size_t begin = BeginOfLine(block, at);
    if (in_second_) begin = WordsBefore(block, begin);
    if (begin == std::exchange(last, begin) || begin == kNowhere ||
        !OpensAt(block, begin)) {
      continue;
    }
    line += std::count(block.begin() + static_cast<ptrdiff_t>(counted),
                       block.begin() + static_cast<ptrdiff_t>(begin), '\n');
    counted = begin;
    Place place{offset + static_cast<int64_t>(begin), line,
                std::string(LineAt(block, begin))};
    if (++found_ == 1) {
      own_ = std::move(place);
      continue;
    }
    if (own_) places.push_back(*std::exchange(own_, {}));
    if (found_ > kMostFound) places.clear();
    places.push_back(std::move(place));
  }
  return places;
}

}  // namespace inquest::ingest
