// SPDX-License-Identifier: Apache-2.0
// What the collector writes into the journal and the trace writer turns into
// rows: a struct per kind, named after its table. The headers below hold them
// by subject; this one reads them.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "trace/records/call_records.h"
#include "trace/records/codec.h"
#include "trace/records/device_records.h"
#include "trace/records/memory_records.h"
#include "trace/records/process_records.h"
#include "trace/records/record_kinds.h"
#include "trace/records/run_records.h"

namespace inquest::trace {

// The time of a record if its kind begins with one, else 0.
inline int64_t TimeOf(uint32_t kind, std::string_view payload) {
  int64_t time = 0;
  switch (static_cast<RecordKind>(kind)) {
    case RecordKind::kMemory:
    case RecordKind::kFrameworkMemory:
    case RecordKind::kApiError:
    case RecordKind::kCudnnCall:
    case RecordKind::kCudnnRun:
    case RecordKind::kCudnnTurn:
    case RecordKind::kMessage:
    case RecordKind::kStepBegin:
    case RecordKind::kDeviceEvent:
      if (payload.size() < sizeof time) return 0;
      std::memcpy(&time, payload.data(), sizeof time);
      return time;
    default:
      return 0;
  }
}

// False when the payload is shorter than the record's fields.
template <typename Record>
bool Decode(std::string_view payload, Record* record) {
  Decoder decoder(payload);
  record->Fields(decoder);
  return decoder.ok();
}

}  // namespace inquest::trace
