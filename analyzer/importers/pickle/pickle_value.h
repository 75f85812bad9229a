// SPDX-License-Identifier: Apache-2.0
// A value of a pickle of plain data, in sixteen bytes. Texts and containers are
// stored elsewhere (pickle_objects.h) and referred to by index. A record is
// something that the sink (PickleSink) has stored in a shorter form; only the
// sink knows its meaning.
#pragma once

#include <cstdint>

namespace inquest::importers {

struct PickleValue {
  enum class Kind : uint8_t {
    kNone,
    kBool,   // number 0 or 1
    kInt,    // number; beyond 64 bits the nearest one that fits
    kFloat,  // real
    kText,   // index: of str and of bytes
    kTuple,  // index; the generation in number, to detect a stale one
    kList,
    kDict,
    kRecord,  // type and index are the sink's; number: how many in a row
  };
  Kind kind = Kind::kNone;
  uint8_t type = 0;
  uint32_t index = 0;
  union {
    int64_t number = 0;
    double real;
  };

  static PickleValue Of(Kind kind, int64_t number) {
    PickleValue value;
    value.kind = kind;
    value.number = number;
    return value;
  }
  static PickleValue Int(int64_t number) { return Of(Kind::kInt, number); }
  static PickleValue Text(uint32_t index) {
    PickleValue value;
    value.kind = Kind::kText;
    value.index = index;
    return value;
  }
  static PickleValue Record(uint8_t type, uint32_t index) {
    PickleValue value = Of(Kind::kRecord, 1);
    value.type = type;
    value.index = index;
    return value;
  }
  bool is(Kind one) const { return kind == one; }
  bool is_record(uint8_t of) const {
    return kind == Kind::kRecord && type == of;
  }
  bool is_container() const {
    return kind == Kind::kTuple || kind == Kind::kList || kind == Kind::kDict;
  }
};
static_assert(sizeof(PickleValue) == 16);

}  // namespace inquest::importers
