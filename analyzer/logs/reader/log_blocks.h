// SPDX-License-Identifier: Apache-2.0
// Cuts a stream of bytes into blocks of whole lines, in bounded memory. A line
// longer than the limit is cut to one byte more than the limit, so that its
// length shows that it was cut; the rest is skipped. Internal to the log
// reader.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analyzer/logs/reader/log_input.h"

namespace inquest::ingest {

class BlockReader {
 public:
  BlockReader(ByteStream* bytes, size_t max_line);

  // The next block and the offset of its first byte; valid until the next call.
  // A block ends after a line feed or, if there is none in reach, after a
  // carriage return, backspace or NUL; the last one ends anywhere.
  bool Next(std::string_view* block, int64_t* offset);

  // Whether the last block returned was the end of the log.
  bool at_end() const { return done_ && begin_ == end_; }
  int64_t bytes() const { return bytes_read_; }
  // Whether the last byte was not a line feed.
  bool ends_within_line() const { return bytes_read_ > 0 && last_ != '\n'; }

 private:
  void Fill();
  bool SkipRest();
  size_t EndOfBlock();

  ByteStream* stream_;
  const size_t max_line_;
  std::vector<char> buffer_;
  size_t begin_ = 0;  // earlier bytes were returned already
  size_t end_ = 0;
  int64_t offset_ = 0;  // of buffer_[begin_]
  int64_t bytes_read_ = 0;
  char last_ = '\n';
  bool done_ = false;
  bool skipping_ = false;
};

}  // namespace inquest::ingest
