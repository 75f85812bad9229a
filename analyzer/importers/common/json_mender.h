// SPDX-License-Identifier: Apache-2.0
// Turns what profilers write into strict JSON: NaN and Infinity, superfluous
// commas, control characters, wrong escapes, invalid UTF-8, and unescaped
// quotation marks inside strings. Strict JSON passes unchanged, except that
// strings longer than kMaxTextBytes are cut and blanks are left out, but for
// one where two words or numbers would become one: a third of a file may be
// indentation. A stage between a file and a parser; memory is a few buffers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/logs/reader/log_input.h"

namespace inquest::importers {

class JsonMender : public ingest::ByteStream {
 public:
  static constexpr size_t kMaxTextBytes = 1 << 20;

  explicit JsonMender(ingest::ByteStream* bytes)
      : bytes_(bytes), input_(kBuffer) {}

  size_t Read(char* buffer, size_t size) override;
  // Of the input, up to which it has been mended.
  uint64_t offset() const { return passed_ + begin_; }
  int64_t mended() const { return mended_; }

 private:
  static constexpr size_t kBuffer = 256 << 10;
  static constexpr size_t kMaxLookahead = 64 << 10;  // that Peek looks ahead
  static constexpr size_t kMaxNumberLength = 400;

  // The byte `ahead` bytes after the next one, or -1 after the end.
  int Peek(size_t ahead = 0);
  char Take() { return input_[begin_++]; }
  bool Fill(size_t ahead);
  void Put(char c);
  void Put(std::string_view text);
  void Step();
  void PassList();
  size_t ItemSize(std::string_view rest) const;
  void Plain(char c);
  void Number();
  void Word();
  bool PassText();
  void InText();
  void Escape();
  void Unicode();
  bool Hex(size_t ahead, unsigned* value);
  bool EndsText();

  ingest::ByteStream* bytes_;
  std::vector<char> input_;
  size_t begin_ = 0, end_ = 0;
  uint64_t passed_ = 0;  // bytes before the buffer
  std::string output_;
  size_t written_ = 0;  // of output_, by Read
  int64_t mended_ = 0;
  bool in_text_ = false;
  bool comma_ = false;  // held back until more is known
  bool blank_ = false;  // after the last token or that comma
  char last_ = 0;       // significant byte outside of strings
  size_t text_size_ = 0;
};

}  // namespace inquest::importers
