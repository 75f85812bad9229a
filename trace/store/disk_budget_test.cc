// SPDX-License-Identifier: Apache-2.0
// What keeps a trace within its disk budget besides the fold (that is
// analyzer/memory/replay/checkpoint_test.cc): limits of the tables, counts of
// what was removed, and a reader that keeps the write-ahead log from being
// emptied.
#include <filesystem>
#include <string>

#include "tests/catch_compat.h"
#include "trace/records/event.h"
#include "trace/store/retention.h"
#include "trace/store/trace_writer.h"
#include "trace/testing/temp_dir.h"
#include "trace/testing/writing.h"

namespace inquest::trace {
namespace {

constexpr uint64_t kBudget = 4 << 20;
constexpr int kRounds = 40;
constexpr int kEach = 500;

// One record of each kind that becomes a row.
void AddRound(TraceWriter* writer, uint64_t* ticket) {
  ApiErrorRecord error;
  error.api = "driver";
  error.function = "cuMemcpyDtoH_v2";
  error.result = 700;
  CudnnCallRecord call;
  call.function = "cudnnPoolingForward";
  call.result = 3000;
  for (int i = 0; i < kEach; ++i) {
    error.time_ns = call.time_ns = static_cast<int64_t>(*ticket);
    Add(writer, (*ticket)++, error);
    Add(writer, (*ticket)++, call);
    Add(writer, (*ticket)++,
        MessageRecord{1, "cudnn", "error", std::string(200, 'm')});
    Add(writer, (*ticket)++,
        StepBeginRecord{static_cast<int64_t>(*ticket), kNoNumber, 1, "step"});
    Add(writer, (*ticket)++, DeviceEventRecord{1, 0, 79, "xid", "lost"});
    Add(writer, (*ticket)++, DeviceMemoryRecord{1, 0, 10, 80, "timer"});
    Add(writer, (*ticket)++, DeviceProcessRecord{1, 0, 7, 5, "p", "timer"});
    Add(writer, (*ticket)++,
        CoverageRecord{1, "source " + std::to_string(*ticket), "on", ""});
  }
}

uint64_t WriteRounds(const std::string& path) {
  auto opened = TraceWriter::Open(path, kBudget);
  REQUIRE(opened.ok());
  TraceWriter writer = opened.Take();
  uint64_t ticket = 1;
  for (int round = 0; round < kRounds; ++round) {
    REQUIRE(writer.Begin().ok());
    if (round == 0) {
      Add(&writer, ticket++, DeviceMemoryRecord{1, 0, 10, 80, "start"});
    }
    AddRound(&writer, &ticket);
    REQUIRE(writer.Commit(ticket).ok());
  }
  REQUIRE(writer.Finish("collector", true, 1).ok());
  return ticket;
}

TEST_CASE("tables stay bounded, and removed rows are counted") {
  TempDir dir;
  const std::string path = dir.File("a.trace.sqlite");
  WriteRounds(path);
  CHECK(std::filesystem::file_size(path) <= kBudget);
  constexpr int64_t kEntered = int64_t{kRounds} * kEach;
  for (const std::string table :
       {"api_error", "cudnn_call", "message", "step", "device_event",
        "device_memory", "device_process", "coverage"}) {
    INFO(table);
    const int64_t rows = Query(path, "SELECT count(*) FROM " + table);
    const int64_t gone = Query(
        path, "SELECT coalesce(sum(count),0) FROM loss WHERE kind LIKE '" +
                  table + " (%'");
    const int64_t extra = table == "device_memory" ? 1 : 0;
    CHECK(rows + gone == kEntered + extra);
    CHECK(rows < kEntered / 4);
    CHECK(rows > 30);
  }
}

TEST_CASE("the first failures and the last, the last steps, the start") {
  TempDir dir;
  const std::string path = dir.File("a.trace.sqlite");
  const auto end = static_cast<int64_t>(WriteRounds(path));
  for (const std::string table : {"api_error", "cudnn_call", "message"}) {
    INFO(table);
    CHECK(Query(path, "SELECT min(id) FROM " + table) < 10);
    CHECK(Query(path, "SELECT max(id) FROM " + table) > end - 10);
  }
  CHECK(Query(path, "SELECT min(id) FROM step") > end / 2);
  CHECK(Query(path, "SELECT max(id) FROM step") > end - 10);
  CHECK(Query(path,
              "SELECT count(*) FROM device_memory "
              "WHERE reason='start'") == 1);
  // All failed calls are counted.
  CHECK(Query(path, "SELECT calls FROM cudnn_stat WHERE result=3000") ==
        int64_t{kRounds} * kEach);
}

void AddEvents(TraceWriter* writer, uint64_t* ticket, int events) {
  for (int i = 0; i < events; ++i) {
    const bool frees = i % 2 == 1;
    MemoryRecord record;
    record.time_ns = static_cast<int64_t>(*ticket);
    record.address = 0x7f0000000000;
    record.bytes = frees ? 0 : 4096;
    record.device = 0;
    record.SetCall(frees ? MemoryOp::kFree : MemoryOp::kAlloc,
                   MemoryKind::kDevice, 0);
    writer->Add((*ticket)++, static_cast<uint32_t>(RecordKind::kMemory),
                {reinterpret_cast<const char*>(&record), sizeof record});
  }
}

TEST_CASE("a reader that stays does not block recording for ever") {
  TempDir dir;
  const std::string path = dir.File("a.trace.sqlite");
  TraceWriter writer = TraceWriter::Open(path, kBudget).Take();
  uint64_t ticket = 1;
  const auto write = [&](int batches) {
    for (int i = 0; i < batches; ++i) {
      REQUIRE(writer.Begin().ok());
      AddEvents(&writer, &ticket, 2000);
      REQUIRE(writer.Commit(ticket).ok());
    }
  };
  const auto size = [&] {
    return std::filesystem::file_size(path) +
           std::filesystem::file_size(path + "-wal");
  };
  write(1);
  {
    auto reader = Database::Open(path, Database::Mode::kReadOnly).Take();
    REQUIRE(reader.Execute("BEGIN").ok());
    CHECK(*reader.QueryInt("SELECT count(*) FROM memory_event") == 2000);
    write(150);
    // The log could not be emptied; so, in the end, nothing was stored.
    CHECK(size() <= kBudget);
    CHECK(*reader.QueryInt("SELECT count(*) FROM memory_event") == 2000);
  }
  const int64_t lost = Query(path, "SELECT coalesce(sum(count),0) FROM loss");
  CHECK(lost > 0);
  // The reader has left: recording goes on.
  write(150);
  CHECK(size() <= kBudget);
  REQUIRE(writer.Finish("collector", true, 1).ok());
  const int64_t lost_then = Query(path, "SELECT sum(count) FROM loss");
  CHECK(lost_then - lost < 20'000);
  const int64_t folded = Query(path, "SELECT folded FROM checkpoint");
  const int64_t raw = Query(path, "SELECT count(*) FROM memory_event");
  CHECK(folded + raw + lost_then == 301 * 2000);
}

TEST_CASE("one budget for all tables, a share for each") {
  CHECK(Retention::RowsWithin(uint64_t{1} << 30, 10'000, 100) == 10'000);
  CHECK(Retention::RowsWithin(6'400'000, 10'000, 100) == 1000);
  CHECK(Retention::RowsWithin(1, 10'000, 100) == 32);
}

}  // namespace
}  // namespace inquest::trace
