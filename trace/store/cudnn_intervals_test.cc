// SPDX-License-Identifier: Apache-2.0
// From records of cuDNN calls to the rows of cudnn_interval: through the
// writer, as the collector's drain and the finishing of a dead journal do.
#include "trace/store/cudnn_intervals.h"

#include <limits>

#include "tests/catch_compat.h"
#include "trace/store/trace_writer.h"
#include "trace/testing/temp_dir.h"
#include "trace/testing/writing.h"

namespace inquest::trace {
namespace {

constexpr char kForward[] = "cudnnConvolutionForward";
constexpr char kExecute[] = "cudnnBackendExecute";

class Trace {
 public:
  explicit Trace(const std::string& path) : path_(path) { Reopen(); }

  void Reopen() {
    writer_ = TraceWriter();
    auto writer =
        TraceWriter::Open(path_, std::numeric_limits<uint64_t>::max());
    INFO(writer.status().message());
    REQUIRE(writer.ok());
    writer_ = writer.Take();
  }
  void Begin() { REQUIRE(writer_.Begin().ok()); }
  void Commit() { REQUIRE(writer_.Commit(ticket_).ok()); }
  void Rollback() { writer_.Rollback(); }
  void Calls(int count, uint64_t operation, int algorithm, uint64_t workspace,
             int64_t duration, int result = 0) {
    for (int i = 0; i < count; ++i) {
      CudnnRunRecord run;
      run.call.function = kForward;
      run.call.time_ns = static_cast<int64_t>(10 * ++ticket_);
      run.call.duration_ns = duration + i;
      run.call.result = result;
      run.operation = operation;
      run.algorithm = algorithm;
      run.workspace_bytes = workspace;
      Add(run);
    }
  }
  template <typename Record>
  void Add(Record record) {
    trace::Add(&writer_, ticket_, record);
  }
  int64_t Query(const std::string& sql) { return trace::Query(path_, sql); }
  int64_t Rows(const std::string& where) {
    return Query("SELECT count(*) FROM cudnn_interval WHERE " + where);
  }

 private:
  std::string path_;
  TraceWriter writer_;
  uint64_t ticket_ = 0;
};

TEST_CASE("a switch and the way back are three intervals") {
  TempDir dir;
  Trace trace(dir.File("a.trace.sqlite"));
  trace.Begin();
  trace.Add(CudnnOperationRecord{7, kForward, "x f32 1x2x3x4"});
  trace.Add(CudnnOperationRecord{7, kForward, "said twice"});
  trace.Calls(20, 7, 6, 4096, 100);
  trace.Calls(10, 7, 0, 0, 300);
  trace.Calls(5, 7, 6, 4096, 100);
  trace.Commit();
  CHECK(trace.Rows("1") == 3);
  CHECK(trace.Rows("id=1 AND function='cudnnConvolutionForward' AND "
                   "operation=7 AND algorithm=6 AND workspace_bytes=4096 AND "
                   "first_ns=10 AND last_ns=200 AND calls=20 AND failed=0 AND "
                   "total_ns=2190 AND min_ns=100 AND max_ns=119") == 1);
  CHECK(trace.Rows("id=2 AND algorithm=0 AND workspace_bytes=0 AND calls=10 "
                   "AND first_ns=210 AND last_ns=300 AND min_ns=300") == 1);
  CHECK(trace.Rows("id=3 AND algorithm=6 AND calls=5") == 1);
  CHECK(trace.Query("SELECT count(*) FROM cudnn_operation WHERE id=7 AND "
                    "text='x f32 1x2x3x4'") == 1);
  // The calls are counted with all others and also kept one by one.
  CHECK(trace.Query("SELECT calls FROM cudnn_stat") == 35);
  CHECK(trace.Query("SELECT count(*) FROM cudnn_call") == 35);
}

TEST_CASE("operations that take turns each have their own interval") {
  TempDir dir;
  Trace trace(dir.File("a.trace.sqlite"));
  for (int batch = 0; batch < 3; ++batch) {
    trace.Begin();
    for (int i = 0; i < 4; ++i) {
      trace.Calls(1, 1, 6, 4096, 100);
      trace.Calls(1, 2, 1, 512, 50);
    }
    trace.Commit();
  }
  CHECK(trace.Rows("1") == 2);
  CHECK(trace.Rows("calls=12") == 2);
  CHECK(trace.Rows("operation=2 AND algorithm=1 AND total_ns=600") == 1);
}

TEST_CASE("a smaller workspace alone begins an interval, a failure does not") {
  TempDir dir;
  Trace trace(dir.File("a.trace.sqlite"));
  trace.Begin();
  trace.Calls(3, 1, 6, 4096, 100);
  trace.Calls(2, 1, 6, 4096, 100, 5003);
  trace.Calls(3, 1, 6, 1024, 100);
  trace.Commit();
  CHECK(trace.Rows("1") == 2);
  CHECK(trace.Rows("id=1 AND calls=5 AND failed=2") == 1);
  CHECK(trace.Query("SELECT count(*) FROM cudnn_call WHERE result=5003") == 2);
}

TEST_CASE("beyond the limit the last interval is extended and counted") {
  TempDir dir;
  Trace trace(dir.File("a.trace.sqlite"));
  trace.Begin();
  for (int i = 0; i < CudnnIntervals::kMaxIntervals; ++i) {
    trace.Calls(1, 1, i % 2, 64, 100);
  }
  trace.Calls(4, 1, 0, 64, 100);
  trace.Calls(2, 2, 0, 64, 100);
  trace.Commit();
  CHECK(trace.Rows("1") == CudnnIntervals::kMaxIntervals);
  CHECK(trace.Rows("operation=2") == 0);
  CHECK(trace.Query("SELECT calls FROM cudnn_interval ORDER BY id DESC") == 5);
  CHECK(trace.Query("SELECT count FROM loss WHERE kind='cudnn_interval'") == 6);
  CHECK(trace.Query("SELECT sum(calls) FROM cudnn_stat") ==
        CudnnIntervals::kMaxIntervals + 6);
}

TEST_CASE("reopened after a crash, the interval goes on") {
  TempDir dir;
  Trace trace(dir.File("a.trace.sqlite"));
  trace.Begin();
  trace.Calls(5, 1, 6, 4096, 100);
  trace.Calls(5, 1, 0, 0, 100);
  trace.Commit();
  trace.Begin();
  trace.Calls(50, 1, 3, 77, 100);  // never committed
  trace.Reopen();
  CHECK(trace.Rows("1") == 2);
  trace.Begin();
  trace.Calls(7, 1, 0, 0, 100);
  trace.Calls(1, 1, 6, 4096, 100);
  trace.Commit();
  CHECK(trace.Rows("1") == 3);
  CHECK(trace.Rows("id=2 AND algorithm=0 AND calls=12 AND min_ns=100") == 1);
  CHECK(trace.Rows("id=3 AND algorithm=6 AND calls=1") == 1);
}

CudnnChoiceRecord Choice(uint64_t id, const char* knobs) {
  CudnnChoiceRecord choice;
  choice.id = id;
  choice.operation = 7;
  choice.workspace_bytes = 4096;
  choice.workspace_asked = 8192;
  choice.algorithm = 38;
  choice.function = kExecute;
  choice.knobs = knobs;
  return choice;
}

CudnnTurnRecord Turn(uint64_t choice, int64_t time, int result = 0) {
  CudnnTurnRecord turn;
  turn.time_ns = time;
  turn.duration_ns = 5;
  turn.choice = choice;
  turn.result = result;
  return turn;
}

TEST_CASE(
    "a call is identified by its choice, and other knobs begin an interval") {
  TempDir dir;
  Trace trace(dir.File("a.trace.sqlite"));
  trace.Begin();
  trace.Add(Choice(1, "stages 2"));
  trace.Add(Choice(2, ""));
  for (int i = 0; i < 4; ++i) trace.Add(Turn(1, 10 + i));
  trace.Add(Turn(2, 20));
  trace.Add(Turn(2, 21, 2002));
  trace.Commit();
  CHECK(trace.Rows("function='cudnnBackendExecute' AND operation=7 AND "
                   "algorithm=38 AND workspace_bytes=4096") == 2);
  CHECK(trace.Rows("calls=4 AND failed=0 AND first_ns=10 AND last_ns=13") == 1);
  CHECK(trace.Rows("calls=2 AND failed=1") == 1);
  CHECK(trace.Query("SELECT count(*) FROM cudnn_interval_choice AS l JOIN "
                    "cudnn_choice AS c ON c.id=l.choice WHERE "
                    "workspace_asked=8192 AND (l.interval=1 AND "
                    "knobs='stages 2' OR l.interval=2 AND knobs IS NULL)") ==
        2);
  CHECK(trace.Query("SELECT sum(calls) FROM cudnn_stat WHERE "
                    "function='cudnnBackendExecute'") == 6);
  // Which layer failed.
  CHECK(trace.Query("SELECT count(*) FROM cudnn_call WHERE result=2002 AND "
                    "detail ->> '$.operation' = 7 AND "
                    "detail ->> '$.algorithm' = 38") == 1);
}

TEST_CASE("calls recorded as a count are added to those recorded one by one") {
  TempDir dir;
  Trace trace(dir.File("a.trace.sqlite"));
  trace.Begin();
  trace.Add(CudnnStatRecord{40, 4000, 900, 0, kForward});
  trace.Calls(2, 1, 6, 4096, 100);
  trace.Add(CudnnStatRecord{8, 800, 1000, 0, kForward});
  trace.Commit();
  CHECK(trace.Query("SELECT count(*) FROM cudnn_stat WHERE calls=50 AND "
                    "total_ns=5001 AND max_ns=1000") == 1);
  CHECK(trace.Query("SELECT count(*) FROM cudnn_call") == 2);
}

TEST_CASE("choices survive a crash and a rolled back batch") {
  TempDir dir;
  Trace trace(dir.File("a.trace.sqlite"));
  trace.Begin();
  trace.Add(Choice(1, "stages 2"));
  trace.Add(Turn(1, 10));
  trace.Commit();
  trace.Begin();
  trace.Add(Choice(2, ""));
  trace.Rollback();
  trace.Begin();
  trace.Add(Turn(2, 11));
  trace.Add(Turn(1, 12));
  trace.Commit();
  trace.Reopen();
  trace.Begin();
  trace.Add(Turn(1, 13));
  trace.Commit();
  CHECK(trace.Rows("1") == 1);
  CHECK(trace.Rows("calls=3") == 1);
  CHECK(trace.Query("SELECT count FROM loss WHERE kind='cudnn_call'") == 1);
}

TEST_CASE("a rolled back batch leaves nothing behind") {
  TempDir dir;
  Trace trace(dir.File("a.trace.sqlite"));
  trace.Begin();
  trace.Calls(5, 1, 6, 4096, 100);
  trace.Commit();
  trace.Begin();
  trace.Calls(5, 1, 6, 4096, 100);
  trace.Calls(5, 1, 0, 0, 100);
  trace.Rollback();
  trace.Begin();
  trace.Calls(3, 1, 6, 4096, 100);
  trace.Commit();
  CHECK(trace.Rows("1") == 1);
  CHECK(trace.Rows("id=1 AND calls=8") == 1);
}

TEST_CASE("a trace of an older program gets the missing tables") {
  TempDir dir;
  const std::string path = dir.File("a.trace.sqlite");
  { Trace made(path); }
  {
    auto db = Database::Open(path, Database::Mode::kReadWrite);
    REQUIRE(db->Execute("DROP TABLE cudnn_interval;"
                        "DROP TABLE cudnn_operation;"
                        "INSERT INTO environment VALUES('RANK','3')")
                .ok());
  }
  Trace trace(path);
  trace.Begin();
  trace.Calls(2, 1, 6, 4096, 100);
  trace.Commit();
  CHECK(trace.Rows("calls=2") == 1);
  CHECK(trace.Query("SELECT value FROM environment WHERE name='RANK'") == 3);
}

}  // namespace
}  // namespace inquest::trace
