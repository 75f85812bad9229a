// SPDX-License-Identifier: Apache-2.0
#include "trace/store/trace_writer.h"

#include <sys/stat.h>

#include <fstream>
#include <limits>

#include "tests/catch_compat.h"
#include "trace/records/event.h"
#include "trace/testing/temp_dir.h"
#include "trace/testing/writing.h"

namespace inquest::trace {
namespace {

constexpr uint64_t kNoBudget = std::numeric_limits<uint64_t>::max();

TraceWriter OpenTrace(const std::string& path, uint64_t limit = kNoBudget) {
  auto writer = TraceWriter::Open(path, limit);
  INFO(writer.status().message());
  REQUIRE(writer.ok());
  return writer.Take();
}

void AddMemory(TraceWriter* writer, uint64_t ticket, MemoryRecord record) {
  writer->Add(ticket, static_cast<uint32_t>(RecordKind::kMemory),
              {reinterpret_cast<const char*>(&record), sizeof record});
}

TEST_CASE("a memory event becomes its row") {
  TempDir dir;
  const std::string path = dir.File("a.trace.sqlite");
  {
    TraceWriter writer = OpenTrace(path);
    MemoryRecord record;
    record.time_ns = 12;
    record.address = 0xffffffff00000000u;
    record.bytes = 4096;
    record.context = 7;
    record.device = 3;
    record.SetCall(MemoryOp::kAlloc, MemoryKind::kAsync, 2);
    REQUIRE(writer.Begin().ok());
    AddMemory(&writer, 100, record);
    REQUIRE(writer.Commit(101).ok());
    REQUIRE(writer.Finish("collector", true, 99).ok());
  }
  CHECK(Query(path,
              "SELECT count(*) FROM memory_event WHERE id=100 AND time_ns=12 "
              "AND op=1 AND kind=3 AND device=3 AND context=7 AND "
              "address=-4294967296 AND bytes=4096 AND result=2") == 1);
  CHECK(Query(path, "SELECT value FROM meta WHERE key='drained_ticket'") ==
        101);
  CHECK(Query(path, "SELECT value FROM meta WHERE key='clean_end'") == 1);
  CHECK(Query(path, "SELECT value FROM meta WHERE key='end_ns'") == 99);
  struct stat info {};
  REQUIRE(stat(path.c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);
  CHECK_FALSE(std::filesystem::exists(path + "-wal"));
}

TEST_CASE("uncommitted records are inserted again, committed ones are not") {
  TempDir dir;
  const std::string path = dir.File("a.trace.sqlite");
  {
    TraceWriter writer = OpenTrace(path);
    REQUIRE(writer.Begin().ok());
    Add(&writer, 10, MessageRecord{1, "cudnn", "error", "first"});
    REQUIRE(writer.Commit(11).ok());
    REQUIRE(writer.Begin().ok());
    Add(&writer, 11, MessageRecord{2, "cudnn", "error", "never committed"});
  }
  TraceWriter writer = OpenTrace(path);
  CHECK(writer.drained_ticket() == 11);
  CHECK(Query(path, "SELECT count(*) FROM message") == 1);
}

TEST_CASE("cuDNN calls: all counted, failures and the last ones kept") {
  TempDir dir;
  const std::string path = dir.File("a.trace.sqlite");
  constexpr auto kRaw = static_cast<int64_t>(TraceWriter::kRawCudnnCalls);
  {
    TraceWriter writer = OpenTrace(path);
    uint64_t ticket = 1;
    for (int batch = 0; batch < 3; ++batch) {
      REQUIRE(writer.Begin().ok());
      for (int i = 0; i < 6000; ++i, ++ticket) {
        CudnnCallRecord record;
        record.function = "cudnnConvolutionForward";
        record.duration_ns = i;
        record.result = i == 17 ? 2000 : 0;
        Add(&writer, ticket, record);
      }
      REQUIRE(writer.Commit(ticket).ok());
    }
  }
  CHECK(Query(path, "SELECT sum(calls) FROM cudnn_stat") == 18'000);
  CHECK(Query(path, "SELECT calls FROM cudnn_stat WHERE result=2000") == 3);
  CHECK(Query(path, "SELECT max_ns FROM cudnn_stat WHERE result=0") == 5999);
  CHECK(Query(path, "SELECT count(*) FROM cudnn_call WHERE result=0") == kRaw);
  CHECK(Query(path, "SELECT count(*) FROM cudnn_call WHERE result<>0") == 3);
  CHECK(Query(path, "SELECT max(id) FROM cudnn_call") == 18'000);
  // After reopening, the window continues.
  TraceWriter writer = OpenTrace(path);
  REQUIRE(writer.Begin().ok());
  Add(&writer, 20'000, CudnnCallRecord{1, 1, 0, 0, 1, "cudnnAddTensor", ""});
  REQUIRE(writer.Commit(20'001).ok());
  CHECK(Query(path, "SELECT count(*) FROM cudnn_call WHERE result=0") == kRaw);
}

TEST_CASE("repeated errors are counted on the first one") {
  TempDir dir;
  const std::string path = dir.File("a.trace.sqlite");
  TraceWriter writer = OpenTrace(path);
  REQUIRE(writer.Begin().ok());
  ApiErrorRecord error;
  error.api = "runtime";
  error.function = "cudaMemcpy";
  error.result = 700;
  error.name = "cudaErrorIllegalAddress";
  error.sticky = true;
  Add(&writer, 5, error);
  for (uint64_t i = 6; i < 46; ++i) Add(&writer, i, ApiErrorRepeatRecord{5});
  REQUIRE(writer.Commit(46).ok());
  CHECK(Query(path, "SELECT repeats FROM api_error WHERE sticky=1") == 40);
}

TEST_CASE("a source's new state ends the one before") {
  TempDir dir;
  const std::string path = dir.File("a.trace.sqlite");
  TraceWriter writer = OpenTrace(path);
  REQUIRE(writer.Begin().ok());
  Add(&writer, 1, CoverageRecord{10, "cupti", "on", "13.0"});
  Add(&writer, 2, CoverageRecord{20, "cupti", "on", "13.0"});
  Add(&writer, 3, CoverageRecord{30, "cupti", "off", "the host uses it"});
  REQUIRE(writer.Commit(4).ok());
  CHECK(Query(path, "SELECT count(*) FROM coverage") == 2);
  CHECK(Query(path, "SELECT to_ns FROM coverage WHERE state='on'") == 30);
  CHECK(Query(path, "SELECT to_ns IS NULL FROM coverage WHERE state='off'"));
}

TEST_CASE("a library seen again is completed, not doubled") {
  TempDir dir;
  const std::string path = dir.File("a.trace.sqlite");
  TraceWriter writer = OpenTrace(path);
  REQUIRE(writer.Begin().ok());
  LibraryRecord library{1,  4096, 8192, "libcudnn.so.9", "/x/libcudnn.so.9",
                        "", "",   "",   "abcd"};
  Add(&writer, 1, library);
  library.version = "9.19.0";
  library.version_source = "call";
  library.build_id = "";
  Add(&writer, 2, library);
  REQUIRE(writer.Commit(3).ok());
  CHECK(Query(path,
              "SELECT count(*) FROM library WHERE id=1 AND version='9.19.0' "
              "AND version_source='call' AND build_id='abcd' AND "
              "compiled_version IS NULL") == 1);
}

TEST_CASE("every other kind becomes a row of its table") {
  TempDir dir;
  const std::string path = dir.File("a.trace.sqlite");
  TraceWriter writer = OpenTrace(path);
  REQUIRE(writer.Begin().ok());
  ProcessRecord process;
  process.pid = 5;
  process.command = "train --epochs 3";
  process.rank = 2;
  Add(&writer, 1, process);
  Add(&writer, 2, ClockAnchorRecord{3, 4});
  Add(&writer, 3, EnvironmentRecord{"RANK", "2"});
  Add(&writer, 4,
      DeviceRecord{0, 80, 13000, 12080, "H200", "u", "p", "9.0", ""});
  Add(&writer, 5, DeviceMemoryRecord{1, 0, 10, 80, "start"});
  Add(&writer, 6, DeviceProcessRecord{1, 0, 77, kNoNumber, "", "start"});
  Add(&writer, 7, StepBeginRecord{1, kNoNumber, 9, "step 1"});
  Add(&writer, 8, StepEndRecord{7, 5});
  Add(&writer, 9, StepBeginRecord{6, kNoNumber, 9, "step 2"});
  Add(&writer, 10, DeviceEventRecord{1, -1, 11, "signal", "SIGSEGV"});
  Add(&writer, 11, LossRecord{3, "stack", "table full"});
  Add(&writer, 12, LossRecord{4, "stack", "table full"});
  Add(&writer, 13, MetaRecord{"collector_version", "0.1.0"});
  StackRecord stack;
  stack.id = 9;
  stack.count = 2;
  writer.Add(14, static_cast<uint32_t>(RecordKind::kStack),
             {reinterpret_cast<const char*>(&stack), 8 + 16});
  Add(&writer, 15, PythonFrameRecord{4, 57, "train.py", "forward"});
  PythonStackRecord python;
  python.stack = 9;
  python.count = 2;
  python.frames[0] = 4;
  python.frames[1] = 0;
  writer.Add(16, static_cast<uint32_t>(RecordKind::kPythonStack),
             {reinterpret_cast<const char*>(&python), 8 + 8});
  REQUIRE(writer.Commit(17).ok());
  CHECK(Query(path, "SELECT rank FROM process WHERE local_rank IS NULL") == 2);
  CHECK(Query(path, "SELECT realtime_ns FROM clock_anchor") == 4);
  CHECK(Query(path, "SELECT value FROM environment") == 2);
  CHECK(Query(path, "SELECT total_bytes FROM device") == 80);
  CHECK(Query(path, "SELECT free_bytes FROM device_memory") == 10);
  CHECK(Query(path, "SELECT used_bytes IS NULL FROM device_process") == 1);
  CHECK(Query(path, "SELECT end_ns FROM step WHERE id=7") == 5);
  CHECK(Query(path, "SELECT end_ns IS NULL FROM step WHERE id=9") == 1);
  CHECK(Query(path, "SELECT value FROM device_event") == 11);
  CHECK(Query(path, "SELECT count FROM loss") == 7);
  CHECK(Query(path, "SELECT length(frames) FROM stack WHERE id=9") == 16);
  CHECK(Query(path,
              "SELECT f.line FROM python_stack AS s JOIN python_frame AS f ON "
              "f.id=s.frame WHERE s.stack=9 AND s.depth=0") == 57);
  CHECK(Query(path, "SELECT frame FROM python_stack WHERE depth=1") == 0);
}

TEST_CASE("malformed records are counted, not fatal") {
  TempDir dir;
  const std::string path = dir.File("a.trace.sqlite");
  TraceWriter writer = OpenTrace(path);
  REQUIRE(writer.Begin().ok());
  for (uint32_t kind = 2; kind <= 22; ++kind) writer.Add(kind, kind, "x");
  for (uint32_t kind = 30; kind <= 31; ++kind) writer.Add(kind, kind, "x");
  writer.Add(30, 55, "a kind of the future");
  StackRecord stack;
  stack.count = 5000;
  writer.Add(31, static_cast<uint32_t>(RecordKind::kStack),
             {reinterpret_cast<const char*>(&stack), 8});
  PythonStackRecord python;
  python.count = 5000;
  writer.Add(32, static_cast<uint32_t>(RecordKind::kPythonStack),
             {reinterpret_cast<const char*>(&python), 8});
  REQUIRE(writer.Commit(33).ok());
  CHECK(Query(path, "SELECT count FROM loss WHERE kind='malformed'") == 25);
  CHECK(Query(path, "SELECT count FROM loss WHERE kind='unknown kind'") == 1);
}

TEST_CASE("beyond the disk budget failures are still kept") {
  TempDir dir;
  const std::string path = dir.File("a.trace.sqlite");
  TraceWriter writer = OpenTrace(path, 1);
  REQUIRE(writer.Begin().ok());
  REQUIRE(writer.Commit(1).ok());
  REQUIRE(writer.Begin().ok());
  MemoryRecord record;
  AddMemory(&writer, 2, record);
  record.SetCall(MemoryOp::kAlloc, MemoryKind::kDevice, 2);
  AddMemory(&writer, 3, record);
  REQUIRE(writer.Commit(4).ok());
  CHECK(Query(path, "SELECT id FROM memory_event") == 3);
  CHECK(Query(path, "SELECT count FROM loss") == 1);
}

TEST_CASE("texts are cut with a mark") {
  Encoder encoder;
  encoder(std::string_view(std::string(5000, 'x')));
  encoder(std::string_view(std::string(5000, 'y')));
  encoder(std::string_view(std::string(5000, 'z')));
  encoder(int64_t{42});
  Decoder decoder(encoder.bytes());
  std::string_view first, second;
  decoder(first);
  decoder(second);
  CHECK(first.size() == kMaxText);
  CHECK(first.ends_with(kCutMark));
  CHECK(second.ends_with(kCutMark));
  CHECK(decoder.ok());
  CHECK(encoder.bytes().size() <= kMaxPayload);
}

TEST_CASE(
    "files that are not traces, or newer ones, are refused with a reason") {
  TempDir dir;
  const std::string path = dir.File("a.trace.sqlite");
  const auto refusal = [&] {
    auto writer = TraceWriter::Open(path, kNoBudget);
    REQUIRE_FALSE(writer.ok());
    return writer.status().message();
  };
  std::ofstream(path) << std::string(5000, 'x');
  REQUIRE_THAT(refusal(), HasText("not a database"));
  std::filesystem::remove(path);
  {
    auto db = Database::Open(path, Database::Mode::kCreate);
    REQUIRE(db->Execute("CREATE TABLE somebody(elses)").ok());
  }
  REQUIRE_THAT(refusal(), HasText("is not a trace of inquest"));
  std::filesystem::remove(path);
  {
    TraceWriter writer = OpenTrace(path);
    REQUIRE(writer.Finish("collector", true, 1).ok());
  }
  {
    auto db = Database::Open(path, Database::Mode::kReadWrite);
    REQUIRE(db->Execute("PRAGMA user_version=12").ok());
  }
  REQUIRE_THAT(refusal(), HasText("has schema 12"));
  REQUIRE_THAT(refusal(), HasText("up to 1"));
}

}  // namespace
}  // namespace inquest::trace
