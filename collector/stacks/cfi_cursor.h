// SPDX-License-Identifier: Apache-2.0
// Reads the numbers of DWARF's call frame information, and never beyond its
// end: from there on every number reads as 0 and ok() is false. For
// frame_rules.cc and cfi_rows.cc.
#pragma once

#include <cstdint>
#include <cstring>

namespace inquest::collector {

class Cursor {
 public:
  Cursor(const uint8_t* at, const uint8_t* end) : at_(at), end_(end) {}

  template <typename T>
  T Take() {
    T value{};
    if (!Has(sizeof value)) return value;
    std::memcpy(&value, at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  uint64_t Unsigned() {
    uint64_t value = 0;
    for (int shift = 0; shift < 63; shift += 7) {
      const auto byte = Take<uint8_t>();
      value |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) break;
    }
    return value;
  }
  int64_t Signed() {
    uint64_t value = 0;
    for (int shift = 0; shift < 63; shift += 7) {
      const auto byte = Take<uint8_t>();
      value |= uint64_t{byte & 0x7fu} << shift;
      if (byte >= 0x80) continue;
      if ((byte & 0x40) != 0) value |= ~uint64_t{0} << (shift + 7);
      break;
    }
    return static_cast<int64_t>(value);
  }
  // A signed 32-bit distance from the current position.
  uintptr_t PcRelative() {
    const auto here = reinterpret_cast<uintptr_t>(at_);
    return here + static_cast<uintptr_t>(intptr_t{Take<int32_t>()});
  }
  void Skip(uint64_t size) {
    if (Has(size)) at_ += size;
  }
  bool Has(uint64_t size) {
    ok_ = ok_ && size <= static_cast<uint64_t>(end_ - at_);
    return ok_;
  }
  bool AtEnd() const { return !ok_ || at_ == end_; }
  bool ok() const { return ok_; }
  const uint8_t* at() const { return at_; }
  const uint8_t* end() const { return end_; }

 private:
  const uint8_t* at_;
  const uint8_t* end_;
  bool ok_ = true;
};

// A length and that many bytes; empty for the 64-bit form.
inline Cursor Entry(const uint8_t* at) {
  uint32_t length = 0;
  std::memcpy(&length, at, sizeof length);
  const uint8_t* begin = at + sizeof length;
  return {begin, length == UINT32_MAX ? begin : begin + length};
}

}  // namespace inquest::collector
