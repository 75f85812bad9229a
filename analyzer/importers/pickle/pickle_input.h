// SPDX-License-Identifier: Apache-2.0
// The bytes of a pickle, read in pieces from a stream that may decompress them.
// For PickleReader; one thread. Memory is one buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/logs/reader/log_input.h"

namespace inquest::importers {

// A number of up to eight bytes.
inline uint64_t LittleEndian(const char* at, size_t size) {
  uint64_t value = 0;
  std::memcpy(&value, at, size);
  return value;
}

// Whether these are the first bytes of a pickled dictionary or list.
bool BeginsPickle(std::string_view bytes);

class PickleInput {
 public:
  explicit PickleInput(ingest::ByteStream* bytes)
      : bytes_(bytes), buffer_(kBuffer) {}

  // The next `size` bytes, at most kMaxAtOnce, valid until the next call;
  // nullptr if the input ends before.
  const char* Take(size_t size) {
    if (end_ - begin_ < size && !Refill(size)) return nullptr;
    const char* at = buffer_.data() + begin_;
    begin_ += size;
    return at;
  }
  // Any number of bytes, in one piece. False if the input ends before.
  bool Take(uint64_t size, std::string* into);
  // Up to the next line feed, which is consumed but not included; false as
  // above or if the line is longer than kMaxAtOnce.
  bool TakeLine(std::string_view* line);

  uint64_t offset() const { return passed_ + begin_; }
  // The offset after the last byte read; at the end of input, its size.
  uint64_t end() const { return passed_ + end_; }

  static constexpr size_t kMaxAtOnce = 64 << 10;

 private:
  static constexpr size_t kBuffer = 1 << 20;
  bool Refill(size_t size);

  ingest::ByteStream* bytes_;
  std::vector<char> buffer_;
  size_t begin_ = 0;
  size_t end_ = 0;
  uint64_t passed_ = 0;  // bytes before the buffer
};

}  // namespace inquest::importers
