// SPDX-License-Identifier: Apache-2.0
// Reads a protocol buffer of any size as a sequence of its outermost fields,
// each of which must fit in memory: the files that importers read consist of
// millions of small messages. Nested messages are read with protozero, through
// EachField, which catches all exceptions. One thread. Malformed input ends the
// stream and is reported by fault(); what precedes it is valid.
#pragma once

#include <cstdint>
#include <protozero/pbf_reader.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/logs/reader/log_input.h"
#include "base/status.h"

namespace inquest::importers {

// Bytes in memory, for recognizing a file by its beginning.
class BytesAt : public ingest::ByteStream {
 public:
  explicit BytesAt(std::string_view bytes) : bytes_(bytes) {}
  size_t Read(char* buffer, size_t size) override {
    const size_t got = bytes_.copy(buffer, size);
    bytes_.remove_prefix(got);
    return got;
  }

 private:
  std::string_view bytes_;
};

class ProtoStream {
 public:
  using Wire = protozero::pbf_wire_type;
  static constexpr size_t kMaxField = 64u << 20;

  // `bytes` must outlive it. A field of more than `most` bytes is refused.
  explicit ProtoStream(ingest::ByteStream* bytes, size_t most = kMaxField)
      : bytes_(bytes), most_(most) {}

  // Moves to the next field; false at the end and at malformed bytes.
  bool Next();

  uint32_t field() const { return field_; }
  Wire wire() const { return wire_; }
  uint64_t number() const { return number_; }      // of a varint
  std::string_view data() const { return data_; }  // until the next call
  uint64_t offset() const { return offset_; }
  // OK if everything was read. Includes errors of the decompression.
  Status fault() const { return fault_; }

 private:
  bool Byte(uint8_t* byte);
  bool Varint(uint64_t* value);
  bool Take(uint64_t size);
  bool Ends();
  bool Bad(const char* what);

  ingest::ByteStream* bytes_;
  size_t most_;
  std::string buffer_;
  size_t at_ = 0;
  uint64_t offset_ = 0;  // of the next byte
  uint32_t field_ = 0;
  Wire wire_ = Wire::unknown;
  uint64_t number_ = 0;
  std::string data_;
  Status fault_;
};

// Calls `visit` with a reader at each field of a message; it must read the
// field's value or skip it, best through the functions below, which check the
// wire type. False if the message is damaged.
template <typename Visit>
bool EachField(std::string_view message, Visit visit) {
  try {
    protozero::pbf_reader reader(message.data(), message.size());
    while (reader.next()) visit(reader);
    return true;
  } catch (const protozero::exception&) {
    return false;
  }
}

// 0 for any other wire type, which is skipped.
uint64_t VarintOf(protozero::pbf_reader& reader);
// Empty for any other wire type, which is skipped.
std::string_view BytesOf(protozero::pbf_reader& reader);
// A repeated number, packed or not.
void AppendVarints(protozero::pbf_reader& reader,
                   std::vector<uint64_t>* numbers);

}  // namespace inquest::importers
