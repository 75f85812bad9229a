// SPDX-License-Identifier: Apache-2.0
// A cursor over the beginning of a line, for the hand-written parsers of
// prefixes and time stamps. Each Take either succeeds and moves the cursor, or
// fails and leaves it. Internal to logs.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/text.h"

namespace inquest::ingest {

// In names of hosts, containers, programs.
inline bool IsNameChar(char c) {
  return IsAlpha(c) || IsDigit(c) || c == '-' || c == '.' || c == '_';
}

class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  bool done() const { return at_ >= text_.size(); }
  char peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  size_t at() const { return at_; }
  void set(size_t at) { at_ = at; }
  std::string_view rest() const { return text_.substr(at_); }

  bool Take(char c) {
    if (done() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool Take(std::string_view word) {
    if (!rest().starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  bool TakeAny(std::string_view set) {
    if (done() || set.find(text_[at_]) == std::string_view::npos) return false;
    ++at_;
    return true;
  }
  void SkipBlanks() {
    while (peek() == ' ' || peek() == '\t') ++at_;
  }

  // Exactly `digits` digits.
  std::optional<int> Fixed(int digits) {
    int value = 0;
    for (int i = 0; i < digits; ++i) {
      const char c = peek(static_cast<size_t>(i));
      if (!IsDigit(c)) return std::nullopt;
      value = value * 10 + (c - '0');
    }
    at_ += static_cast<size_t>(digits);
    return value;
  }
  // One to `most` (at most 18) digits and no further digit.
  std::optional<int64_t> Number(int most) {
    int64_t value = 0;
    int digits = 0;
    while (digits <= most && IsDigit(peek(static_cast<size_t>(digits)))) {
      value = value * 10 + (peek(static_cast<size_t>(digits)) - '0');
      ++digits;
    }
    if (digits == 0 || digits > most) return std::nullopt;
    at_ += static_cast<size_t>(digits);
    return value;
  }
  // The longest run of characters that `accept` accepts; may be empty.
  template <typename Accept>
  std::string_view While(Accept accept) {
    const size_t begin = at_;
    while (!done() && accept(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

 private:
  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace inquest::ingest
