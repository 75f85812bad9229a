// SPDX-License-Identifier: Apache-2.0
// From records of an allocator inside a framework to the rows of its tables:
// through the writer, as the collector's drain and the finishing of a dead
// journal do.
#include "trace/store/framework_memory.h"

#include <limits>

#include "tests/catch_compat.h"
#include "trace/store/trace_writer.h"
#include "trace/testing/temp_dir.h"
#include "trace/testing/writing.h"

namespace inquest::trace {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr auto kUnbounded = std::numeric_limits<uint64_t>::max();

class PoolTrace {
 public:
  explicit PoolTrace(const std::string& path) : path_(path) {
    Reopen(kUnbounded);
  }

  void Reopen(uint64_t budget) {
    writer_ = TraceWriter();
    auto writer = TraceWriter::Open(path_, budget);
    INFO(writer.status().message());
    REQUIRE(writer.ok());
    writer_ = writer.Take();
  }
  void Begin() { REQUIRE(writer_.Begin().ok()); }
  void Commit() { REQUIRE(writer_.Commit(ticket_).ok()); }
  void Rollback() { writer_.Rollback(); }
  // One gigabyte is reserved all the time.
  void Record(FrameworkOp op, uint64_t address, int64_t bytes, int device) {
    FrameworkMemoryRecord record;
    record.op = op;
    record.time_ns = now_;
    record.address = address;
    record.bytes = bytes;
    allocated_ += op == FrameworkOp::kAlloc  ? bytes
                  : op == FrameworkOp::kFree ? -bytes
                                             : 0;
    record.allocated_bytes = allocated_;
    record.reserved_bytes = 1 << 30;
    record.device = static_cast<int16_t>(device);
    Append(record);
  }
  void Append(const FrameworkMemoryRecord& record) {
    writer_.Add(++ticket_, static_cast<uint32_t>(FrameworkMemoryRecord::kKind),
                {reinterpret_cast<const char*>(&record), sizeof record});
  }
  void Alloc(uint64_t address, int64_t bytes, int device = 0) {
    Record(FrameworkOp::kAlloc, address, bytes, device);
  }
  void Free(uint64_t address, int64_t bytes, int device = 0) {
    Record(FrameworkOp::kFree, address, bytes, device);
  }
  void Pairs(int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      Alloc(0x9000, 512);
      Free(0x9000, 512);
    }
  }
  void Wait(int64_t nanoseconds) { now_ += nanoseconds; }
  int64_t Query(const std::string& sql) { return trace::Query(path_, sql); }
  int64_t Blocks(const std::string& where) {
    return Query("SELECT count(*) FROM framework_block WHERE " + where);
  }

 private:
  std::string path_;
  TraceWriter writer_;
  uint64_t ticket_ = 0;
  int64_t now_ = kSecond;
  int64_t allocated_ = 0;
};

TEST_CASE("live blocks stay, freed ones have the time of their free") {
  TempDir dir;
  PoolTrace trace(dir.File("a.trace.sqlite"));
  trace.Begin();
  trace.Alloc(0x1000, 512);
  trace.Alloc(0x2000, 1024);
  trace.Alloc(0x1000, 2048, 1);  // the same address on another device
  trace.Wait(5);
  trace.Free(0x1000, 512);
  trace.Free(0x7000, 512);  // made before the recording began
  trace.Commit();
  CHECK(trace.Blocks("1") == 3);
  CHECK(trace.Blocks("id=1 AND device=0 AND address=4096 AND bytes=512 AND "
                     "address_is='device' AND freed_ns=time_ns+5 AND "
                     "allocated_bytes=512 AND reserved_bytes=1<<30") == 1);
  CHECK(trace.Blocks("freed_ns IS NULL") == 2);
  CHECK(trace.Query("SELECT frees FROM framework_memory WHERE device=0") == 2);
}

TEST_CASE("a block whose free was lost ends where its address is used again") {
  TempDir dir;
  PoolTrace trace(dir.File("a.trace.sqlite"));
  trace.Begin();
  trace.Alloc(0x1000, 512);
  trace.Wait(7);
  trace.Alloc(0x1000, 1024);
  trace.Commit();
  CHECK(trace.Blocks("id=1 AND freed_ns=time_ns+7") == 1);
  CHECK(trace.Blocks("id=2 AND freed_ns IS NULL") == 1);
}

TEST_CASE("all live blocks are kept, and the last freed ones") {
  TempDir dir;
  PoolTrace trace(dir.File("a.trace.sqlite"));
  const auto kept = static_cast<int64_t>(FrameworkMemory::kFreedKept);
  for (int batch = 0; batch < 3; ++batch) {
    trace.Begin();
    trace.Alloc(0x1000 + static_cast<uint64_t>(batch), 4096);
    trace.Pairs(kept / 2 + 10);
    trace.Commit();
  }
  CHECK(trace.Blocks("freed_ns IS NULL") == 3);
  CHECK(trace.Blocks("freed_ns IS NOT NULL") == kept);
  // The oldest were removed: 30 and half as many as are kept.
  CHECK(trace.Query("SELECT min(id) FROM framework_block WHERE freed_ns IS "
                    "NOT NULL") > kept);
  CHECK(trace.Query("SELECT sum(frees) FROM framework_memory") ==
        3 * (kept / 2 + 10));
}

TEST_CASE("sums over time are a row a second, with their peaks") {
  TempDir dir;
  PoolTrace trace(dir.File("a.trace.sqlite"));
  trace.Begin();
  trace.Alloc(0x1000, 5000);
  trace.Free(0x1000, 5000);
  trace.Alloc(0x1000, 100);
  trace.Commit();
  trace.Begin();
  trace.Wait(kSecond / 2);
  trace.Alloc(0x2000, 200);
  trace.Wait(kSecond / 2);
  trace.Alloc(0x3000, 300);
  trace.Commit();
  CHECK(trace.Query("SELECT count(*) FROM framework_memory") == 2);
  CHECK(trace.Query("SELECT count(*) FROM framework_memory WHERE id=1 AND "
                    "allocations=3 AND frees=1 AND allocated_bytes=300 AND "
                    "peak_allocated_bytes=5000 AND last_ns-first_ns=500000000 "
                    "AND peak_reserved_bytes=1<<30") == 1);
  CHECK(trace.Query("SELECT allocated_bytes FROM framework_memory "
                    "WHERE id=2") == 600);
}

TEST_CASE("many seconds are joined into wider rows") {
  TempDir dir;
  PoolTrace trace(dir.File("a.trace.sqlite"));
  const int64_t seconds = 4 * FrameworkMemory::kIntervalsOfAWidth;
  trace.Begin();
  for (int64_t i = 0; i < seconds; ++i) {
    trace.Alloc(0x1000, 512);
    trace.Free(0x1000, 512);
    trace.Wait(kSecond);
  }
  trace.Commit();
  // 10,000 of one second, 10,000 of two, and 10,000 seconds in fours.
  CHECK(trace.Query("SELECT count(*) FROM framework_memory") == 22'500);
  CHECK(trace.Query("SELECT sum(allocations) FROM framework_memory") ==
        seconds);
}

TEST_CASE("unreported sums are NULL, and a handle is not an address") {
  TempDir dir;
  PoolTrace trace(dir.File("a.trace.sqlite"));
  FrameworkMemoryRecord record;
  record.address = 0xabc;
  record.address_is_handle = true;
  record.bytes = 512;
  record.device = 0;
  trace.Begin();
  trace.Append(record);
  trace.Commit();
  CHECK(trace.Blocks("address_is='handle' AND allocated_bytes IS NULL AND "
                     "reserved_bytes IS NULL") == 1);
  CHECK(trace.Query("SELECT count(*) FROM framework_memory WHERE "
                    "peak_allocated_bytes IS NULL AND reserved_bytes IS "
                    "NULL") == 1);
}

TEST_CASE("a refusal is a row of its own and changes no sums") {
  TempDir dir;
  PoolTrace trace(dir.File("a.trace.sqlite"));
  trace.Begin();
  trace.Alloc(0x1000, 512);
  trace.Record(FrameworkOp::kOutOfMemory, 0, 1 << 20, 0);
  trace.Commit();
  CHECK(trace.Query("SELECT count(*) FROM framework_oom WHERE id=2 AND "
                    "requested_bytes=1<<20 AND allocated_bytes=512 AND "
                    "reserved_bytes=1<<30") == 1);
  CHECK(trace.Query("SELECT allocations FROM framework_memory") == 1);
}

TEST_CASE("reopened after a crash or a failed batch, blocks are still known") {
  TempDir dir;
  PoolTrace trace(dir.File("a.trace.sqlite"));
  trace.Begin();
  trace.Alloc(0x1000, 512);
  trace.Alloc(0x2000, 512);
  trace.Free(0x2000, 512);
  trace.Commit();
  trace.Begin();
  trace.Free(0x1000, 512);
  trace.Alloc(0x3000, 512);
  trace.Rollback();
  trace.Begin();
  trace.Alloc(0x4000, 512);
  trace.Commit();
  CHECK(trace.Blocks("freed_ns IS NULL") == 2);
  trace.Begin();
  trace.Free(0x1000, 512);  // never committed
  trace.Reopen(kUnbounded);
  trace.Begin();
  trace.Free(0x4000, 512);
  trace.Commit();
  CHECK(trace.Blocks("address=0x1000 AND freed_ns IS NULL") == 1);
  CHECK(trace.Blocks("address=0x4000 AND freed_ns IS NOT NULL") == 1);
  CHECK(trace.Query("SELECT count(*) FROM framework_memory") == 1);
}

TEST_CASE("beyond the disk budget blocks are counted, sums go on") {
  TempDir dir;
  PoolTrace trace(dir.File("a.trace.sqlite"));
  trace.Reopen(1);
  trace.Begin();
  trace.Alloc(0x1000, 512);
  trace.Commit();
  trace.Begin();
  trace.Alloc(0x2000, 512);
  trace.Free(0x1000, 512);
  trace.Record(FrameworkOp::kOutOfMemory, 0, 1 << 20, 0);
  trace.Commit();
  CHECK(trace.Blocks("1") == 1);
  CHECK(trace.Blocks("freed_ns IS NOT NULL") == 1);
  CHECK(trace.Query("SELECT count FROM loss WHERE kind='framework_block (disk "
                    "budget)'") == 1);
  CHECK(trace.Query("SELECT allocations FROM framework_memory") == 2);
  CHECK(trace.Query("SELECT count(*) FROM framework_oom") == 1);
}

TEST_CASE("malformed records are counted") {
  TempDir dir;
  PoolTrace trace(dir.File("a.trace.sqlite"));
  FrameworkMemoryRecord record;
  record.op = static_cast<FrameworkOp>(9);
  trace.Begin();
  trace.Append(record);
  trace.Commit();
  CHECK(trace.Query("SELECT count FROM loss WHERE kind='malformed'") == 1);
}

TEST_CASE("a package is entered once") {
  TempDir dir;
  const std::string path = dir.File("a.trace.sqlite");
  auto writer = TraceWriter::Open(path, kUnbounded);
  REQUIRE(writer.ok());
  TraceWriter trace = writer.Take();
  REQUIRE(trace.Begin().ok());
  const PackageRecord torch{1,      "torch", "2.9.0+cu128", "version.py",
                            "12.8", "",      "/x/torch"};
  Add(&trace, 1, torch);
  Add(&trace, 2, torch);
  REQUIRE(trace.Commit(2).ok());
  CHECK(Query(path,
              "SELECT count(*) FROM package WHERE name='torch' AND "
              "version='2.9.0+cu128' AND cuda='12.8' AND cudnn IS NULL") == 1);
  CHECK(Query(path, "SELECT count(*) FROM package") == 1);
}

}  // namespace
}  // namespace inquest::trace
