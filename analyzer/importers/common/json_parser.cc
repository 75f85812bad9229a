// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/common/json_parser.h"

#include <charconv>
#include <cstring>
#include <utility>

#include "base/text.h"

namespace inquest::importers {
namespace {

bool IsGap(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool IsBracketOrQuote(char c) {
  return c == '"' || c == '[' || c == ']' || c == '{' || c == '}';
}

bool IsOfWord(char c) {
  return IsAlpha(c);
}

bool IsOfNumber(char c) {
  return IsDigit(c) || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

size_t DigitsFrom(std::string_view text, size_t at) {
  while (at < text.size() && IsDigit(text[at])) ++at;
  return at;
}

enum class NumberForm { kNone, kWhole, kDecimal };

// -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?
NumberForm FormOf(std::string_view text) {
  size_t at = text.starts_with('-') ? 1 : 0;
  const size_t whole = DigitsFrom(text, at);
  if (whole == at || (text[at] == '0' && whole > at + 1)) {
    return NumberForm::kNone;
  }
  at = whole;
  if (at < text.size() && text[at] == '.') {
    const size_t part = DigitsFrom(text, at + 1);
    if (part == at + 1) return NumberForm::kNone;
    at = part;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
    const size_t power = DigitsFrom(text, at);
    if (power == at) return NumberForm::kNone;
    at = power;
  }
  if (at != text.size()) return NumberForm::kNone;
  return at == whole ? NumberForm::kWhole : NumberForm::kDecimal;
}

template <typename T>
bool Reads(std::string_view digits, T* value) {
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), *value);
  return error == std::errc();
}

void AppendUtf8(unsigned code, std::string* text) {
  const auto rest = [&](int shift) {
    *text += static_cast<char>(0x80 | (code >> shift & 0x3f));
  };
  if (code < 0x80) {
    *text += static_cast<char>(code);
  } else if (code < 0x800) {
    *text += static_cast<char>(0xc0 | code >> 6);
    rest(0);
  } else if (code < 0x10000) {
    *text += static_cast<char>(0xe0 | code >> 12);
    rest(6);
    rest(0);
  } else {
    *text += static_cast<char>(0xf0 | code >> 18);
    rest(12);
    rest(6);
    rest(0);
  }
}

}  // namespace

bool JsonParser::Fill() {
  if (ended_) return false;
  at_ = 0;
  end_ = bytes_->Read(buffer_.data(), buffer_.size());
  ended_ = end_ == 0;
  return !ended_;
}

void JsonParser::SkipByteOrderMark() {
  if (!More() || buffer_[at_] != '\xef') return;
  for (const char c : {'\xef', '\xbb', '\xbf'}) {
    if (More() && buffer_[at_] == c) ++at_;
  }
}

int JsonParser::Significant() {
  do {
    for (; at_ < end_; ++at_) {
      if (!IsGap(buffer_[at_])) return static_cast<unsigned char>(buffer_[at_]);
    }
  } while (Fill());
  return -1;
}

int JsonParser::TakeByte() {
  return More() ? static_cast<unsigned char>(buffer_[at_++]) : -1;
}

bool JsonParser::Unexpected() {
  unexpected_.assign(buffer_.data() + at_,
                     std::min(end_ - at_, kMaxUnexpected));
  return false;
}

JsonParser::End JsonParser::Run() {
  SkipByteOrderMark();
  bool more = Value();
  while (more && !levels_.empty()) more = Follow();
  if (!Continues()) return End::kStopped;
  if (more) return End::kWhole;
  return ended_ ? End::kEarly : End::kBroken;
}

// What comes after a value or after a bracket that opens: one that closes, or
// the next value.
bool JsonParser::Follow() {
  const bool array = levels_.back();
  int next = Significant();
  if (next == (array ? ']' : '}')) {
    ++at_;
    levels_.pop_back();
    first_ = false;
    handler_->End();
    return Continues();
  }
  if (!std::exchange(first_, false)) {
    if (next != ',') return Unexpected();
    ++at_;
  }
  if (!array && !Key()) return false;
  return Value();
}

bool JsonParser::Open(bool array) {
  ++at_;
  handler_->Begin(array);
  if (handler_->skips()) {
    if (!SkipToEnd()) return false;
    handler_->End();
    return Continues();
  }
  levels_.push_back(array);
  first_ = true;
  return Continues();
}

// After the bracket that opens a value, to the one that closes it.
bool JsonParser::SkipToEnd() {
  for (size_t depth = 1; depth > 0;) {
    while (at_ < end_ && !IsBracketOrQuote(buffer_[at_])) ++at_;
    const int c = TakeByte();
    std::string_view unused;
    if (c < 0 || (c == '"' && !Text(&unused))) return false;
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
  }
  return true;
}

bool JsonParser::Key() {
  std::string_view name;
  if (Significant() != '"') return Unexpected();
  ++at_;
  if (!Text(&name)) return false;
  handler_->Key(name);
  if (Significant() != ':') return Unexpected();
  ++at_;
  return true;
}

bool JsonParser::Value() {
  const int next = Significant();
  if (next == '{' || next == '[') return Open(next == '[');
  if (next == '"') {
    std::string_view text;
    ++at_;
    if (!Text(&text)) return false;
    handler_->Text(text);
    return Continues();
  }
  if (next >= 0 && IsAlpha(static_cast<char>(next))) return Word();
  return Number();
}

// After the quotation mark that opens it.
bool JsonParser::Text(std::string_view* text) {
  const char* begin = buffer_.data() + at_;
  const void* quote = std::memchr(begin, '"', end_ - at_);
  if (quote == nullptr) return LongText(text);
  const auto size =
      static_cast<size_t>(static_cast<const char*>(quote) - begin);
  if (std::memchr(begin, '\\', size) != nullptr) return LongText(text);
  *text = {begin, size};
  at_ += size + 1;
  return true;
}

bool JsonParser::LongText(std::string_view* text) {
  text_.clear();
  while (More()) {
    const std::string_view rest(buffer_.data() + at_, end_ - at_);
    const size_t run = std::min(rest.find_first_of("\"\\"), rest.size());
    text_.append(rest.substr(0, run));
    at_ += run;
    if (run == rest.size()) continue;
    if (buffer_[at_] == '"') {
      ++at_;
      *text = text_;
      return true;
    }
    if (!Escape()) return Unexpected();
  }
  return false;
}

bool JsonParser::Escape() {
  constexpr std::string_view kNames = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  ++at_;  // the backslash
  const int name = TakeByte();
  if (name == 'u') return Unicode();
  const size_t which =
      name < 0 ? kNames.npos : kNames.find(static_cast<char>(name));
  if (which == kNames.npos) return false;
  text_ += kMeanings[which];
  return true;
}

bool JsonParser::Hex(unsigned* value) {
  *value = 0;
  for (int i = 0; i < 4; ++i) {
    const int c = TakeByte();
    const int lower = c | 0x20;
    const bool letter = c >= 'A' && lower >= 'a' && lower <= 'f';
    if (!letter && (c < '0' || c > '9')) return false;
    *value = *value * 16 +
             static_cast<unsigned>(letter ? lower - 'a' + 10 : c - '0');
  }
  return true;
}

// After \u. Characters beyond 16 bits are written as pairs.
bool JsonParser::Unicode() {
  unsigned code = 0, second = 0;
  if (!Hex(&code) || (code >= 0xdc00 && code < 0xe000)) return false;
  if (code >= 0xd800 && code < 0xdc00) {
    if (TakeByte() != '\\' || TakeByte() != 'u' || !Hex(&second)) return false;
    if (second < 0xdc00 || second >= 0xe000) return false;
    code = 0x10000 + ((code - 0xd800) << 10) + (second - 0xdc00);
  }
  AppendUtf8(code, &text_);
  return true;
}

std::string_view JsonParser::TakeRun(bool (*is)(char)) {
  const size_t begin = at_;
  while (at_ < end_ && is(buffer_[at_])) ++at_;
  if (at_ < end_) return {buffer_.data() + begin, at_ - begin};
  text_.assign(buffer_.data() + begin, at_ - begin);
  while (More() && is(buffer_[at_])) text_ += buffer_[at_++];
  return text_;
}

bool JsonParser::Word() {
  const std::string_view word = TakeRun(IsOfWord);
  if (word == "null") {
    handler_->Null();
  } else if (word == "true" || word == "false") {
    handler_->Integer(word == "true" ? 1 : 0);
  } else {
    unexpected_ = word.substr(0, kMaxUnexpected);
    return false;
  }
  return Continues();
}

bool JsonParser::Number() {
  const std::string_view digits = TakeRun(IsOfNumber);
  const NumberForm form = FormOf(digits);
  if (form == NumberForm::kNone) {
    unexpected_ = digits.substr(0, kMaxUnexpected);
    return digits.empty() ? Unexpected() : false;
  }
  int64_t value = 0;
  uint64_t large = 0;
  if (form == NumberForm::kWhole && Reads(digits, &value)) {
    handler_->Integer(value);
  } else if (form == NumberForm::kWhole && Reads(digits, &large)) {
    handler_->Integer(static_cast<int64_t>(large));
  } else {
    handler_->Decimal(digits);
  }
  return Continues();
}

}  // namespace inquest::importers
