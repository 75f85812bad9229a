// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/common/proto_stream.h"

#include <fmt/format.h>

#include <algorithm>

namespace inquest::importers {
namespace {

constexpr size_t kBuffer = 256 << 10;
constexpr int kVarintBytes = 10;
constexpr uint32_t kHighestField = (1u << 29) - 1;

}  // namespace

bool ProtoStream::Ends() {
  const std::string& packing = bytes_->fault().note;
  fault_ =
      Unreadable(fmt::format("it ends at byte {}, in the middle of a field{}{}",
                             offset_, packing.empty() ? "" : ": ", packing));
  return false;
}

bool ProtoStream::Bad(const char* what) {
  fault_ = Unreadable(fmt::format("{} at byte {}", what, offset_));
  return false;
}

bool ProtoStream::Byte(uint8_t* byte) {
  if (at_ == buffer_.size()) {
    buffer_.resize(kBuffer);
    buffer_.resize(bytes_->Read(buffer_.data(), buffer_.size()));
    at_ = 0;
    if (buffer_.empty()) return false;
  }
  *byte = static_cast<uint8_t>(buffer_[at_++]);
  ++offset_;
  return true;
}

bool ProtoStream::Varint(uint64_t* value) {
  *value = 0;
  for (int i = 0; i < kVarintBytes; ++i) {
    uint8_t byte = 0;
    if (!Byte(&byte)) return Ends();
    *value |= uint64_t{byte & 0x7fu} << (7 * i);
    if (byte < 0x80) return true;
  }
  return Bad("a number without an end");
}

// Grows as bytes are read, because the size may be wrong.
bool ProtoStream::Take(uint64_t size) {
  if (size > most_) return Bad("a field larger than the limit");
  data_.clear();
  while (data_.size() < size) {
    uint8_t byte = 0;
    if (!Byte(&byte)) return Ends();
    data_.push_back(static_cast<char>(byte));
    const size_t more = std::min(size - data_.size(), buffer_.size() - at_);
    data_.append(buffer_, at_, more);
    at_ += more;
    offset_ += more;
  }
  return true;
}

bool ProtoStream::Next() {
  if (!fault_.ok()) return false;
  uint8_t first = 0;
  if (!Byte(&first)) {
    const auto& packing = bytes_->fault();
    return packing.note.empty() ? false : Ends();
  }
  --at_;
  --offset_;
  uint64_t key = 0;
  if (!Varint(&key)) return false;
  if (key >> 3 == 0 || key >> 3 > kHighestField) return Bad("no field's key");
  field_ = static_cast<uint32_t>(key >> 3);
  wire_ = static_cast<Wire>(key & 7);
  number_ = 0;
  data_.clear();
  switch (wire_) {
    case Wire::varint:
      return Varint(&number_);
    case Wire::fixed64:
      return Take(8);
    case Wire::fixed32:
      return Take(4);
    case Wire::length_delimited: {
      uint64_t size = 0;
      return Varint(&size) && Take(size);
    }
    default:
      return Bad("no field's type");
  }
}

uint64_t VarintOf(protozero::pbf_reader& reader) {
  if (reader.wire_type() == ProtoStream::Wire::varint) {
    return reader.get_uint64();
  }
  reader.skip();
  return 0;
}

std::string_view BytesOf(protozero::pbf_reader& reader) {
  if (reader.wire_type() == ProtoStream::Wire::length_delimited) {
    const protozero::data_view view = reader.get_view();
    return {view.data(), view.size()};
  }
  reader.skip();
  return {};
}

void AppendVarints(protozero::pbf_reader& reader,
                   std::vector<uint64_t>* numbers) {
  if (reader.wire_type() == ProtoStream::Wire::length_delimited) {
    for (const uint64_t number : reader.get_packed_uint64()) {
      numbers->push_back(number);
    }
  } else {
    numbers->push_back(VarintOf(reader));
  }
}

}  // namespace inquest::importers
