// SPDX-License-Identifier: Apache-2.0
#include "analyzer/logs/reader/log_blocks.h"

#include <algorithm>
#include <cstring>

namespace inquest::ingest {
namespace {

constexpr size_t kBlockBytes = 512 << 10;
constexpr std::string_view kSeparators("\n\r\b\0", 4);

}  // namespace

BlockReader::BlockReader(ByteStream* bytes, size_t max_line)
    : stream_(bytes), max_line_(max_line), buffer_(max_line + kBlockBytes) {}

void BlockReader::Fill() {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  while (!done_ && end_ < buffer_.size()) {
    const size_t got =
        stream_->Read(buffer_.data() + end_, buffer_.size() - end_);
    done_ = got == 0;
    if (got == 0) break;
    end_ += got;
    bytes_read_ += static_cast<int64_t>(got);
    last_ = buffer_[end_ - 1];
  }
}

// Drops the rest of a line that was cut. True when its end is reached; the
// separator stays, as it may be the line feed that is counted.
bool BlockReader::SkipRest() {
  const std::string_view text(buffer_.data(), end_);
  const size_t found = std::min(text.find_first_of(kSeparators), end_);
  begin_ = found;
  offset_ += static_cast<int64_t>(found);
  return found < end_;
}

size_t BlockReader::EndOfBlock() {
  if (done_) return end_;
  const std::string_view text(buffer_.data(), end_);
  size_t last = text.rfind('\n');
  if (last == text.npos) last = text.find_last_of(kSeparators);
  if (last != text.npos) return last + 1;
  skipping_ = true;
  return max_line_ + 1;
}

bool BlockReader::Next(std::string_view* block, int64_t* offset) {
  while (true) {
    Fill();
    if (!skipping_) break;
    skipping_ = !SkipRest();
    if (skipping_ && done_) return false;
  }
  if (end_ == begin_) return false;
  // After a skip the beginning of the buffer is consumed; the rest is still a
  // block.
  if (begin_ > 0) Fill();
  const size_t end = EndOfBlock();
  *block = std::string_view(buffer_.data(), end);
  *offset = offset_;
  begin_ = end;
  offset_ += static_cast<int64_t>(end);
  return true;
}

}  // namespace inquest::ingest
