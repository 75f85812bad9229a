// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/common/json_mender.h"

#include <algorithm>
#include <cctype>
#include <cstring>

#include "base/text.h"
#include "base/utf8.h"

namespace inquest::importers {
namespace {

bool IsBlank(int c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool IsNumber(int c) {
  return IsDigit(static_cast<char>(c)) || c == '-' || c == '+' || c == '.' ||
         c == 'e' || c == 'E';
}

bool MayFollowText(int c) {
  return c < 0 || std::strchr(",:]}", c) != nullptr;
}

bool WouldJoin(char c) {
  return IsAlpha(c) || IsNumber(c);
}

// Without branches, for PlainText.
bool IsPlainText(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte >= 0x20) & (byte < 0x7f) & (c != '"') & (c != '\\');
}

// How many bytes of plain text there are. They stand in long runs, so blocks
// are looked at as a whole: the compiler makes vector code of that.
size_t PlainText(const char* at, size_t size) {
  constexpr size_t kBlock = 32;
  size_t run = 0;
  for (; run + kBlock <= size; run += kBlock) {
    unsigned char other = 0;
    for (size_t i = 0; i < kBlock; ++i) {
      other |= static_cast<unsigned char>(!IsPlainText(at[run + i]));
    }
    if (other != 0) break;
  }
  while (run < size && IsPlainText(at[run])) ++run;
  return run;
}

}  // namespace

bool JsonMender::Fill(size_t ahead) {
  std::memmove(input_.data(), input_.data() + begin_, end_ - begin_);
  passed_ += begin_;
  end_ -= begin_;
  begin_ = 0;
  while (end_ <= ahead && end_ < input_.size()) {
    const size_t got = bytes_->Read(input_.data() + end_, input_.size() - end_);
    if (got == 0) return false;
    end_ += got;
  }
  return end_ > ahead;
}

int JsonMender::Peek(size_t ahead) {
  if (begin_ + ahead >= end_ && !Fill(ahead)) return -1;
  return static_cast<unsigned char>(input_[begin_ + ahead]);
}

void JsonMender::Put(char c) {
  if (in_text_ && text_size_++ >= kMaxTextBytes) {
    mended_ += text_size_ == kMaxTextBytes + 1;
    return;
  }
  output_ += c;
}

// All of it or, if a string has become too long, nothing.
void JsonMender::Put(std::string_view text) {
  if (in_text_ && (text_size_ += text.size()) > kMaxTextBytes) return;
  output_ += text;
}

size_t JsonMender::Read(char* buffer, size_t size) {
  if (written_ == output_.size()) {
    output_.clear();
    written_ = 0;
    while (output_.size() < kMaxLookahead && Peek() >= 0) Step();
  }
  const size_t got = std::min(size, output_.size() - written_);
  std::memcpy(buffer, output_.data() + written_, got);
  written_ += got;
  if (got == 0) fault_ = bytes_->fault();
  return got;
}

// A list of whole numbers, or of such lists, as far as it lies in the buffer
// and needs no mending: they are half of a profile.
void JsonMender::PassList() {
  const std::string_view input(input_.data(), end_);
  while (begin_ < end_) {
    const char c = input[begin_];
    size_t size = 1;
    if (IsBlank(c)) {
      blank_ = true;
    } else if (c == ',' && !comma_ && last_ != '[') {
      comma_ = true;
    } else {
      size = ItemSize(input.substr(begin_));
      if (size == 0) return;
      if (comma_) output_ += ',';
      output_ += input.substr(begin_, size);
      comma_ = blank_ = false;
      last_ = c;
    }
    begin_ += size;
  }
}

// Of a bracket or whole number that stands well here; 0: it may not.
size_t JsonMender::ItemSize(std::string_view rest) const {
  if (rest.starts_with('[')) return 1;
  if (rest.starts_with(']')) return comma_ ? 0 : 1;
  size_t size = 0;
  while (size < rest.size() && IsDigit(rest[size])) ++size;
  const bool ends = size < rest.size() && !WouldJoin(rest[size]);
  const bool fits = size > 0 && size <= kMaxNumberLength;
  return ends && fits && (comma_ || !WouldJoin(last_)) ? size : 0;
}

void JsonMender::Step() {
  if (in_text_) return InText();
  const int next = Peek();
  if (next == '[') return PassList();
  if (IsBlank(next)) {
    while (begin_ < end_ && IsBlank(input_[begin_])) ++begin_;
    blank_ = true;
  } else if (next == ',') {
    ++begin_;
    const bool wanted = last_ != '[' && last_ != '{' && !comma_;
    mended_ += !wanted;
    comma_ = comma_ || wanted;
  } else {
    Plain(static_cast<char>(next));
  }
}

void JsonMender::Plain(char c) {
  const bool closes = c == ']' || c == '}';
  if (comma_) {
    if (!closes) output_ += ',';
    mended_ += closes;
  } else if (blank_ && WouldJoin(last_) && WouldJoin(c)) {
    output_ += ' ';
  }
  comma_ = blank_ = false;
  last_ = c;
  if (c == '"') {
    if (PassText()) return;
    Put(Take());
    in_text_ = true;
    text_size_ = 0;
  } else if (IsAlpha(c)) {
    Word();
  } else if (IsNumber(c)) {
    Number();
  } else {
    output_ += Take();
  }
}

void JsonMender::Number() {
  const int second = Peek(1);
  if ((Peek() == '-' || Peek() == '+') && second >= 0 &&
      IsAlpha(static_cast<char>(second))) {
    Take();
    return Word();
  }
  size_t size = 0;
  while (IsNumber(Peek())) {
    size_t run = begin_;
    while (run < end_ && IsNumber(input_[run])) ++run;
    const std::string_view digits(input_.data() + begin_, run - begin_);
    Put(digits.substr(0, kMaxNumberLength - std::min(size, kMaxNumberLength)));
    size += digits.size();
    begin_ = run;
  }
}

void JsonMender::Word() {
  std::string word;
  for (int c = Peek(); c >= 0 && IsAlpha(static_cast<char>(c)); c = Peek()) {
    const char letter = Take();
    if (word.size() < 16) word += letter;
  }
  if (word == "true" || word == "false" || word == "null") return Put(word);
  ++mended_;
  if (word == "True") return Put("true");
  if (word == "False") return Put("false");
  const std::string lower = ToLower(word);
  const bool none = lower == "nan" || lower == "inf" || lower == "infinity" ||
                    lower == "none" || lower == "undefined";
  Put(none ? "null" : word);
}

// A string that lies whole in the buffer and needs no mending, as nearly all.
bool JsonMender::PassText() {
  const size_t size = PlainText(input_.data() + begin_ + 1, end_ - begin_ - 1);
  size_t next = begin_ + size + 2;
  if (size > kMaxTextBytes || next >= end_ || input_[next - 1] != '"') {
    return false;
  }
  const std::string_view text(input_.data() + begin_, size + 2);
  while (next < end_ && IsBlank(input_[next])) ++next;
  if (next == end_ || !MayFollowText(input_[next])) return false;
  output_ += text;
  begin_ += text.size();
  return true;
}

// A quotation mark ends the string only if a character follows that may follow
// a string.
bool JsonMender::EndsText() {
  size_t ahead = 1;
  while (ahead < kMaxLookahead && IsBlank(Peek(ahead))) ++ahead;
  return MayFollowText(Peek(ahead));
}

void JsonMender::InText() {
  const size_t size = PlainText(input_.data() + begin_, end_ - begin_);
  if (size > 0) {
    const size_t room = kMaxTextBytes - std::min(text_size_, kMaxTextBytes);
    output_.append(input_.data() + begin_, std::min(size, room));
    text_size_ += size;
    begin_ += size;
    return;
  }
  const int next = Peek();
  if (next == '"') {
    in_text_ = !EndsText();
    Take();
    if (!in_text_) return Put('"');
    ++mended_;
    return Put("\\\"");
  }
  if (next == '\\') return Escape();
  if (next < 0x20) {
    ++mended_;
    Take();
    return Put(' ');
  }
  Peek(3);
  const size_t length = Utf8Length({input_.data() + begin_, end_ - begin_});
  if (length == 0) ++mended_;
  Put(length == 0 ? "?" : std::string_view(input_.data() + begin_, length));
  begin_ += std::max<size_t>(length, 1);
}

void JsonMender::Escape() {
  const int next = Peek(1);
  Take();
  if (next == 'u') return Unicode();
  if (next > 0 && std::strchr("\"\\/bfnrt", next) != nullptr) {
    const char pair[] = {'\\', Take()};
    return Put(std::string_view(pair, 2));
  }
  ++mended_;
  Put("\\\\");
}

bool JsonMender::Hex(size_t ahead, unsigned* value) {
  *value = 0;
  for (size_t i = ahead; i < ahead + 4; ++i) {
    const int c = Peek(i);
    if (c < 0 || std::isxdigit(c) == 0) return false;
    *value = *value * 16 +
             static_cast<unsigned>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
  }
  return true;
}

// After the backslash; a lone half of a surrogate pair is not a character.
void JsonMender::Unicode() {
  unsigned first = 0, second = 0;
  size_t size = 5;
  if (!Hex(1, &first)) {
    ++mended_;
    return Put("\\\\");
  }
  const bool high = first >= 0xd800 && first < 0xdc00;
  const bool low = first >= 0xdc00 && first < 0xe000;
  const bool pair = high && Peek(5) == '\\' && Peek(6) == 'u' &&
                    Hex(7, &second) && second >= 0xdc00 && second < 0xe000;
  if (pair) size = 11;
  if (low || (high && !pair)) {
    ++mended_;
    Put('?');
  } else {
    Put("\\" + std::string(input_.data() + begin_, size));
  }
  begin_ += size;
}

}  // namespace inquest::importers
