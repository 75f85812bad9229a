// SPDX-License-Identifier: Apache-2.0
// Turns the fields of a record into the bytes of a journal payload and back.
// Numbers are copied unchanged, texts as a 16-bit length and their bytes. The
// encoder works in its own buffer, allocates nothing and may be used in a
// signal handler; a text that would not fit is cut and ends in kCutMark. The
// decoder checks every length and returns views into the payload.
#pragma once

#include <algorithm>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "trace/journal/journal_format.h"

namespace inquest::trace {

inline constexpr std::string_view kCutMark = "[cut]";
inline constexpr size_t kMaxText = 1800;  // two long texts fit in one record

// How many bytes a record needs, before texts are cut.
class EncodedSize {
 public:
  template <typename T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void operator()(const T&) { bytes_ += sizeof(T); }
  void operator()(const std::string_view& text) {
    bytes_ += sizeof(uint16_t) + std::min(kMaxText, text.size());
  }
  size_t bytes() const { return bytes_; }

 private:
  size_t bytes_ = 0;
};

template <size_t kRoom>
class EncoderOf {
 public:
  template <typename T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void operator()(const T& value) { Put(&value, sizeof value); }
  void operator()(const std::string_view& text) {
    const size_t room = sizeof bytes_ - size_;
    if (room < sizeof(uint16_t) + kCutMark.size()) return;
    const size_t most = std::min(kMaxText, room - sizeof(uint16_t));
    const bool cut = text.size() > most;
    const size_t kept = cut ? most - kCutMark.size() : text.size();
    operator()(static_cast<uint16_t>(cut ? most : kept));
    Put(text.data(), kept);
    if (cut) Put(kCutMark.data(), kCutMark.size());
  }
  std::string_view bytes() const { return {bytes_, size_}; }

 private:
  void Put(const void* data, size_t size) {
    if (size_ > sizeof bytes_ || size > sizeof bytes_ - size_) return;
    if (size > 0) std::memcpy(bytes_ + size_, data, size);
    size_ += size;
  }

  char bytes_[kRoom];
  size_t size_ = 0;
};
using Encoder = EncoderOf<kMaxPayload>;
// For a stack with little room: holds a record whose size is at most kSmall.
inline constexpr size_t kSmall = 480;
using SmallEncoder = EncoderOf<kSmall + 32>;

class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : rest_(bytes) {}

  template <typename T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void operator()(T& value) {
    if (!Has(sizeof value)) return;
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
  }
  void operator()(std::string_view& text) {
    uint16_t size = 0;
    operator()(size);
    if (!Has(size)) return;
    text = rest_.substr(0, size);
    rest_.remove_prefix(size);
  }
  // False when the payload ended before its fields did.
  bool ok() const { return ok_; }

 private:
  bool Has(size_t size) {
    ok_ = ok_ && rest_.size() >= size;
    return ok_;
  }

  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace inquest::trace
