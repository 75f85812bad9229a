// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/pickle/pickle_input.h"

#include <algorithm>

namespace inquest::importers {

bool BeginsPickle(std::string_view bytes) {
  if (bytes.size() < 2) return false;
  const auto protocol = static_cast<uint8_t>(bytes[1]);
  return (bytes[0] == '\x80' && protocol >= 2 && protocol <= 5) ||
         bytes.starts_with("(d") || bytes.starts_with("(l") ||
         bytes.starts_with("}q") || bytes.starts_with("]q");
}

bool PickleInput::Refill(size_t size) {
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  passed_ += begin_;
  end_ -= begin_;
  begin_ = 0;
  while (end_ < size) {
    const size_t got =
        bytes_->Read(buffer_.data() + end_, buffer_.size() - end_);
    if (got == 0) return false;
    end_ += got;
  }
  return true;
}

bool PickleInput::Take(uint64_t size, std::string* into) {
  into->clear();
  while (size > 0) {
    const size_t piece = std::min<uint64_t>(size, kMaxAtOnce);
    const char* at = Take(piece);
    if (at == nullptr) return false;
    into->append(at, piece);
    size -= piece;
  }
  return true;
}

bool PickleInput::TakeLine(std::string_view* line) {
  size_t searched = 0;
  for (;;) {
    const char* from = buffer_.data() + begin_;
    const void* feed =
        std::memchr(from + searched, '\n', end_ - begin_ - searched);
    if (feed != nullptr) {
      const auto size =
          static_cast<size_t>(static_cast<const char*>(feed) - from);
      *line = {from, size};
      begin_ += size + 1;
      return true;
    }
    searched = end_ - begin_;
    if (searched >= kMaxAtOnce || !Refill(searched + 1)) return false;
  }
}

}  // namespace inquest::importers
