// SPDX-License-Identifier: Apache-2.0
// Parses a JSON file that may be larger than memory: each value goes to a
// handler as it is read, and nothing is kept. Deviations from strict JSON are
// mended if possible (json_mender.h). One thread; memory is a few buffers and
// one bit per level of nesting.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "analyzer/logs/reader/log_input.h"
#include "base/status.h"

namespace inquest::importers {

class JsonHandler {
 public:
  virtual ~JsonHandler() = default;
  virtual void Begin(bool array) = 0;
  // After Begin: whether nothing in that value is wanted. Then only its End is
  // passed, and what is in it need not be JSON as long as brackets are paired.
  virtual bool skips() const { return false; }
  virtual void End() = 0;
  virtual void Key(std::string_view name) = 0;
  virtual void Text(std::string_view text) = 0;
  // Numbers beyond 64 bits and fractions, as written.
  virtual void Integer(int64_t value) = 0;
  virtual void Decimal(std::string_view digits) = 0;
  virtual void Null() = 0;
  // Whether to stop reading.
  virtual bool stopped() const { return false; }
};

struct JsonEnd {
  Status fault;        // why reading ended early, and where
  int64_t mended = 0;  // places that were not strict JSON
};
JsonEnd ReadJson(ingest::ByteStream* bytes, JsonHandler* handler);

}  // namespace inquest::importers
