// SPDX-License-Identifier: Apache-2.0
// The 24 bits of a MemoryRecord that hold operation, kind and result.
#include "trace/records/memory_records.h"

#include "tests/catch_compat.h"
#include "trace/records/event.h"

namespace inquest::trace {
namespace {

TEST_CASE("operation, kind and result share their bits") {
  for (int op = 1; op <= MemoryRecord::kMaxOp; ++op) {
    for (int kind = 1; kind <= MemoryRecord::kMaxKind; ++kind) {
      for (const int result : {0, 2, 700, 999, MemoryRecord::kMaxResult}) {
        MemoryRecord record;
        record.SetCall(MemoryOp{static_cast<uint8_t>(op)},
                       MemoryKind{static_cast<uint8_t>(kind)}, result);
        REQUIRE(static_cast<int>(record.op()) == op);
        REQUIRE(static_cast<int>(record.kind()) == kind);
        REQUIRE(record.result() == result);
      }
    }
  }
}

TEST_CASE("the first fifteen operations are stored as in journals of 0.1") {
  for (const Named<MemoryOp>& op : kMemoryOps) {
    const int number = static_cast<int>(op.value);
    if (number > 15) break;
    MemoryRecord record;
    record.SetCall(op.value, MemoryKind::kMapped, 719);
    CHECK(record.op_and_kind == (number | 11 << 4));
    CHECK(record.result_bits == 719);
  }
}

TEST_CASE("an older program reads a later operation as none") {
  MemoryRecord record;
  record.SetCall(MemoryOp{16}, MemoryKind::kDevice, 0);
  CHECK((record.op_and_kind & 0xf) == 0);
}

TEST_CASE("a result that does not fit is recorded as the largest") {
  MemoryRecord record;
  for (const int64_t result : {int64_t{4096}, int64_t{-1}, int64_t{1} << 40}) {
    record.SetCall(MemoryOp::kAlloc, MemoryKind::kDevice, result);
    CHECK(record.op() == MemoryOp::kAlloc);
    CHECK(record.result() == MemoryRecord::kMaxResult);
  }
}

TEST_CASE("numbers have names") {
  CHECK(MemoryOpName(MemoryOp::kPoolThreshold) == "pool_threshold");
  CHECK(MemoryKindName(MemoryKind::kMapped) == "mapped");
  CHECK(MemoryOpName(MemoryOp{0}) == "unknown");
  CHECK(MemoryOpName(MemoryOp{16}) == "unknown");
  CHECK(RecordKindName(2) == "memory_event");
  CHECK(RecordKindName(1) == "unknown");
}

}  // namespace
}  // namespace inquest::trace
