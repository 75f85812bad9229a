// SPDX-License-Identifier: Apache-2.0
// Counts what a thread does again and again with the same result, so that a
// program that retries without end does not fill the journal: the first ones
// are recorded one by one, then one record counts 64. A rest is recorded when
// something else happens; a kill loses the count of fewer than 64.
#pragma once

#include <cstdint>
#include <utility>

#include "trace/records/records.h"

namespace inquest::collector {

class Repeats {
 public:
  // How many to record now, this one included; 0: none yet.
  uint32_t Next() {
    ++waiting_;
    if (recorded_ >= kEach && waiting_ < kAtOnce) return 0;
    ++recorded_;
    return Take();
  }
  uint32_t Take() { return std::exchange(waiting_, 0); }

 private:
  static constexpr uint32_t kEach = 256;
  static constexpr uint32_t kAtOnce = 64;
  uint32_t recorded_ = 0;
  uint32_t waiting_ = 0;
};

// Equal refusals of memory in a row, of one thread.
class Refusals {
 public:
  using Record = trace::MemoryRecord;

  // Calls `write` with the records that are due now that this one has happened;
  // a refusal's address is the number of those before it that have none.
  template <class Write>
  void Add(const Record& record, Write write) {
    if (!IsRefusal(last_) && !IsRefusal(record)) return write(record);
    if (!IsRefusal(last_) || !IsSame(record)) {
      Flush(write);
      repeats_ = {};
      last_ = record;
      return write(record);
    }
    last_ = record;
    WriteLast(repeats_.Next(), write);
  }

 private:
  static bool IsRefusal(const Record& record) {
    return record.result() != 0 && record.op() == trace::MemoryOp::kAlloc;
  }
  bool IsSame(const Record& record) const {
    return record.bytes == last_.bytes && record.stack == last_.stack &&
           record.device == last_.device && record.context == last_.context &&
           record.result_bits == last_.result_bits &&
           record.op_and_kind == last_.op_and_kind;
  }
  template <class Write>
  void Flush(Write write) {
    WriteLast(repeats_.Take(), write);
  }
  template <class Write>
  void WriteLast(uint32_t count, Write write) {
    if (count == 0) return;
    Record record = last_;
    record.address = count - 1;
    write(record);
  }

  Record last_;
  Repeats repeats_;
};

}  // namespace inquest::collector
