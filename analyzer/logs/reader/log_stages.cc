// SPDX-License-Identifier: Apache-2.0
#include "analyzer/logs/reader/log_stages.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/units.h"

namespace inquest::ingest {
namespace {

class Descriptor : public ByteStream {
 public:
  Descriptor(int fd, bool close_it, int64_t most, bool grew)
      : fd_(fd), close_(close_it), left_(most), grew_(grew) {}
  ~Descriptor() override {
    if (close_) close(fd_);
  }

  size_t Read(char* buffer, size_t size) override {
    const auto wanted = static_cast<size_t>(
        std::min<int64_t>(left_, static_cast<int64_t>(size)));
    if (wanted == 0) return AtLimit();
    ssize_t got;
    do {
      got = read(fd_, buffer, wanted);
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
      fault_.incomplete = true;
      fault_.note = std::string("reading stopped: ") + std::strerror(errno);
      return 0;
    }
    left_ -= got;
    return static_cast<size_t>(got);
  }

 private:
  size_t AtLimit() {
    char more;
    if (read(fd_, &more, 1) <= 0 || !fault_.note.empty()) return 0;
    fault_.incomplete = !grew_;
    fault_.note =
        grew_ ? "the file grew while it was read; the added part is left out"
              : "reading stopped at the limit for one log";
    return 0;
  }

  int fd_;
  bool close_;
  int64_t left_;
  bool grew_;
};

class Memory : public ByteStream {
 public:
  explicit Memory(std::string_view text) : text_(text) {}
  size_t Read(char* buffer, size_t size) override {
    const size_t got = text_.copy(buffer, size);
    text_.remove_prefix(got);
    return got;
  }

 private:
  std::string_view text_;
};

class Headed : public ByteStream {
 public:
  Headed(std::string head, Stage rest)
      : head_(std::move(head)), rest_(std::move(rest)) {}
  size_t Read(char* buffer, size_t size) override {
    if (at_ < head_.size()) {
      const size_t got = head_.copy(buffer, size, at_);
      at_ += got;
      return got;
    }
    const size_t got = rest_->Read(buffer, size);
    fault_ = rest_->fault();
    return got;
  }

 private:
  std::string head_;
  size_t at_ = 0;
  Stage rest_;
};

void AppendUtf8(uint32_t point, std::string* out) {
  const auto put = [&](uint32_t byte) { *out += static_cast<char>(byte); };
  if (point < 0x80) {
    put(point);
  } else if (point < 0x800) {
    put(0xC0 | point >> 6);
    put(0x80 | (point & 0x3F));
  } else if (point < 0x10000) {
    put(0xE0 | point >> 12);
    put(0x80 | (point >> 6 & 0x3F));
    put(0x80 | (point & 0x3F));
  } else {
    put(0xF0 | point >> 18);
    put(0x80 | (point >> 12 & 0x3F));
    put(0x80 | (point >> 6 & 0x3F));
    put(0x80 | (point & 0x3F));
  }
}

class Utf16 : public ByteStream {
 public:
  Utf16(Stage text, bool big) : text_(std::move(text)), big_(big) {}

  size_t Read(char* buffer, size_t size) override {
    while (at_ >= ready_.size()) {
      if (!Fill()) return 0;
    }
    const size_t got = ready_.copy(buffer, size, at_);
    at_ += got;
    return got;
  }

 private:
  bool Fill() {
    ready_.clear();
    at_ = 0;
    char raw[8192];
    const size_t got = text_->Read(raw, sizeof(raw));
    fault_ = text_->fault();
    if (got == 0) {
      fault_.truncated = fault_.truncated || odd_ || high_ != 0;
      return false;
    }
    for (size_t i = 0; i < got; ++i) {
      const auto byte = static_cast<uint8_t>(raw[i]);
      if (!odd_) {
        first_ = byte;
      } else {
        Unit(big_ ? static_cast<uint32_t>(first_ << 8 | byte)
                  : static_cast<uint32_t>(byte << 8 | first_));
      }
      odd_ = !odd_;
    }
    return true;
  }

  void Unit(uint32_t unit) {
    constexpr uint32_t kReplacement = 0xFFFD;
    const bool low = unit >= 0xDC00 && unit < 0xE000;
    if (high_ != 0) {
      const uint32_t high = std::exchange(high_, 0);
      if (low) {
        AppendUtf8(0x10000 + ((high - 0xD800) << 10) + (unit - 0xDC00),
                   &ready_);
        return;
      }
      AppendUtf8(kReplacement, &ready_);
    }
    if (unit >= 0xD800 && unit < 0xDC00) {
      high_ = unit;
    } else {
      AppendUtf8(low ? kReplacement : unit, &ready_);
    }
  }

  Stage text_;
  bool big_;
  bool odd_ = false;
  uint8_t first_ = 0;
  uint32_t high_ = 0;
  std::string ready_;
  size_t at_ = 0;
};

}  // namespace

Stage FromDescriptor(int fd, bool close_it, int64_t most, bool grew) {
  return std::make_unique<Descriptor>(fd, close_it, most, grew);
}
Stage FromMemory(std::string_view text) {
  return std::make_unique<Memory>(text);
}
Stage WithHead(std::string head, Stage rest) {
  return std::make_unique<Headed>(std::move(head), std::move(rest));
}
Stage FromUtf16(Stage text, bool big_endian) {
  return std::make_unique<Utf16>(std::move(text), big_endian);
}

}  // namespace inquest::ingest
