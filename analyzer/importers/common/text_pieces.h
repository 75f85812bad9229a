// SPDX-License-Identifier: Apache-2.0
// A text as a stream that returns a few bytes at a time, for tests of what
// reads streams.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "analyzer/logs/reader/log_input.h"

namespace inquest::importers {

class TextPieces : public ingest::ByteStream {
 public:
  TextPieces(std::string text, size_t piece)
      : text_(std::move(text)), piece_(piece) {}
  size_t Read(char* buffer, size_t size) override {
    const size_t got = std::min({size, piece_, text_.size() - at_});
    std::memcpy(buffer, text_.data() + at_, got);
    at_ += got;
    return got;
  }

 private:
  std::string text_;
  size_t piece_;
  size_t at_ = 0;
};

}  // namespace inquest::importers
