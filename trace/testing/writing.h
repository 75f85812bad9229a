// SPDX-License-Identifier: Apache-2.0
// What tests of the trace's writer share: records in, figures out.
#pragma once

#include <string>

#include "tests/catch_compat.h"
#include "trace/store/trace_writer.h"

namespace inquest::trace {

template <typename Record>
void Add(TraceWriter* writer, uint64_t ticket, Record record) {
  Encoder encoder;
  record.Fields(encoder);
  writer->Add(ticket, static_cast<uint32_t>(Record::kKind), encoder.bytes());
}

inline int64_t Query(const std::string& path, const std::string& sql) {
  auto db = Database::Open(path, Database::Mode::kReadOnly);
  REQUIRE(db.ok());
  auto value = db->QueryInt(sql);
  INFO(sql + ": " + value.status().message());
  REQUIRE(value.ok());
  return *value;
}

}  // namespace inquest::trace
