// SPDX-License-Identifier: Apache-2.0
// Compares a replay from a checkpoint with one of the whole stream: the same
// program recorded without a limit and with a small disk budget, and folded in
// random steps. Streams are random and contain impossible events, too.
#include <filesystem>
#include <limits>
#include <map>
#include <random>
#include <tuple>
#include <vector>

#include "analyzer/memory/replay/replay.h"
#include "tests/catch_compat.h"
#include "trace/records/event.h"
#include "trace/store/event_rows.h"
#include "trace/store/fold.h"
#include "trace/store/trace_writer.h"
#include "trace/testing/temp_dir.h"
#include "trace/testing/writing.h"

namespace inquest::memory {
namespace {

using trace::MemoryKind;
using trace::MemoryOp;
using trace::MemoryRecord;
using trace::TempDir;
using trace::TraceWriter;

constexpr uint64_t kNoLimit = std::numeric_limits<uint64_t>::max();

// An unrealistic program: it also frees what it does not hold, gets addresses
// twice, fails to free, loses contexts and is refused memory.
class Unrealistic {
 public:
  explicit Unrealistic(uint32_t seed) : random_(seed) {}

  MemoryRecord Next() {
    time_ += Below(1000);
    MemoryRecord record;
    record.time_ns =
        time_ - Below(500);  // threads record their events slightly late
    record.thread = 1 + Below(4);
    record.device = static_cast<int8_t>(Below(3)) - 1;
    record.context = 1 + Below(2);
    record.stack = Below(40);
    const uint32_t dice = Below(100);
    if (dice == 0) return As(record, MemoryOp::kContextDestroy, 0);
    if (dice < 4) return Refused(record);
    if (dice < 7) return Mapped(record);
    if (dice < 9) return Unmapped(record);
    if (just_freed_.address != 0 && dice < 12) return FreeFailed();
    if (dice < 58 || held_.empty()) return Allocated(record);
    return Freed(record);
  }

 private:
  static MemoryRecord As(MemoryRecord record, MemoryOp op, int kind,
                         int result = 0) {
    record.SetCall(op, static_cast<MemoryKind>(kind), result);
    return record;
  }
  static int KindOf(const MemoryRecord& record) {
    return static_cast<int>(record.kind());
  }
  uint32_t Below(uint32_t end) { return random_() % end; }

  MemoryRecord Allocated(MemoryRecord record) {
    static constexpr int kKinds[] = {1, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    record.address = 0x7f0000000000 + uint64_t{Below(3000)} * 512;
    if (Below(50) == 0) record.address |= uint64_t{1} << 63;
    record.bytes = 512 * (1 + Below(8));
    record = As(record, MemoryOp::kAlloc, kKinds[Below(std::size(kKinds))]);
    held_.push_back(record);
    just_freed_ = {};
    return record;
  }
  MemoryRecord Freed(MemoryRecord record) {
    const size_t at = Below(static_cast<uint32_t>(held_.size()));
    record.address = held_[at].address;
    record.device = held_[at].device;
    record = As(record, MemoryOp::kFree, KindOf(held_[at]));
    held_[at] = held_.back();
    held_.pop_back();
    if (Below(30) == 0) record.address += 8;  // unknown
    just_freed_ = record;
    return record;
  }
  // Physical memory with any number of handles and mappings.
  MemoryRecord Mapped(MemoryRecord record) {
    for (const MemoryRecord& held : held_) {
      const int kind = KindOf(held);
      if (kind == 5 && Below(3) == 0) record.pool = held.address;
    }
    record.address = 0x600000000000 + uint64_t{Below(20)} * 512;
    record.bytes = 512;
    const bool retain = record.pool != 0 && Below(4) == 0;
    if (retain) record.address = record.pool;
    if (retain) return As(record, MemoryOp::kRetain, 5);
    return As(record, MemoryOp::kMap, 5);
  }
  MemoryRecord Unmapped(MemoryRecord record) {
    record.address = 0x600000000000 + uint64_t{Below(20)} * 512;
    record.bytes = 512 * (1 + Below(3));
    return As(record, MemoryOp::kUnmap, 5);
  }
  MemoryRecord FreeFailed() {
    MemoryRecord record = just_freed_;
    just_freed_ = {};
    return As(record, MemoryOp::kFreeFailed, KindOf(record), 700);
  }
  MemoryRecord Refused(MemoryRecord record) {
    record.bytes = 512 * (1 + Below(12));
    return As(record, MemoryOp::kAlloc, 1, Below(4) == 0 ? 700 : 2);
  }

  std::mt19937 random_;
  int64_t time_ = 1000;
  std::vector<MemoryRecord> held_;
  MemoryRecord just_freed_;
};

struct Limits {
  uint64_t bytes = kNoLimit;
  int batches = 40;
  int batch = 1500;
};

// Records the program's first batches * batch events, with a step each hundred.
void Record(const std::string& path, uint32_t seed, const Limits& limits) {
  auto opened = TraceWriter::Open(path, limits.bytes);
  REQUIRE(opened.ok());
  TraceWriter writer = opened.Take();
  Unrealistic program(seed);
  uint64_t ticket = 1;
  uint64_t step = 0;
  for (int batch = 0; batch < limits.batches; ++batch) {
    REQUIRE(writer.Begin().ok());
    for (int i = 0; i < limits.batch; ++i) {
      const MemoryRecord record = program.Next();
      writer.Add(ticket++, static_cast<uint32_t>(trace::RecordKind::kMemory),
                 {reinterpret_cast<const char*>(&record), sizeof record});
      if (i % 100 != 99) continue;
      if (step != 0) {
        trace::Add(&writer, ticket++,
                   trace::StepEndRecord{step, record.time_ns});
      }
      step = ticket++;
      trace::Add(
          &writer, step,
          trace::StepBeginRecord{record.time_ns, trace::kNoNumber, 1, "step"});
    }
    REQUIRE(writer.Commit(ticket).ok());
  }
  REQUIRE(writer.Finish("collector", true, 1).ok());
}

// All results of a replay, in a comparable form.
using Numbers = std::vector<int64_t>;

Numbers Of(const Heap& heap) {
  const trace::HeapTotals& t = heap.totals();
  Numbers all = {static_cast<int64_t>(t.lowest),
                 static_cast<int64_t>(t.highest),
                 t.live_bytes,
                 t.peak_bytes,
                 t.peak_time,
                 t.allocations,
                 t.frees,
                 t.unknown_frees,
                 t.overlaps};
  heap.ForEach([&](uint64_t address, int64_t bytes, const Block* block) {
    all.insert(all.end(), {static_cast<int64_t>(address), bytes});
    if (block == nullptr) return;
    all.insert(all.end(), {block->event, block->time, block->stack,
                           static_cast<int64_t>(block->context), block->kind});
  });
  return all;
}

Numbers Of(const Refusal& refusal) {
  return {refusal.event.id,          refusal.event.bytes, refusal.live_bytes,
          refusal.framework_bytes,   refusal.gaps.total,  refusal.gaps.largest,
          refusal.gaps.whole_chunks, refusal.gaps.count,  refusal.survived};
}

class Reader {
 public:
  // `stacks_a_site` call stacks lead to one place of the program.
  explicit Reader(const std::string& path, int64_t stacks_a_site = 1)
      : sites_([stacks_a_site](int64_t stack) {
          std::vector<Frame> frames(1);
          frames[0].module = "train";
          frames[0].function = "Site" + std::to_string(stack / stacks_a_site);
          return frames;
        }),
        replay_(&sites_) {
    db_ = Database::Open(path, Database::Mode::kReadOnly).Take();
    auto checkpoint = replay_.Resume(&db_, "");
    INFO(checkpoint.status().message());
    REQUIRE(checkpoint.ok());
    checkpoint_ = *checkpoint;
    rows_ = db_.Prepare("SELECT " + std::string(trace::kEventColumns) +
                        " FROM memory_event WHERE id>? ORDER BY id")
                .Take();
    rows_.Bind(0, checkpoint_.event);
  }

  int64_t Next() {
    if (!rows_.Step()) return 0;
    const MemoryEvent event = trace::EventOf(rows_);
    replay_.Add(event);
    return event.id;
  }
  void SkipTo(int64_t event) {
    while (event != 0 && Next() != event) {
    }
  }
  const trace::Checkpoint& checkpoint() const { return checkpoint_; }
  int64_t live_bytes() { return replay_.LiveBytes(); }

  std::map<int, std::vector<Numbers>> Devices() {
    std::map<int, std::vector<Numbers>> all;
    for (const auto& [device, state] : replay_.devices()) {
      all[device] = {Of(state.device),
                     Of(state.handles),
                     Of(state.framework),
                     {state.failed, state.peak_bytes, state.peak_time}};
    }
    return all;
  }
  std::vector<Numbers> Refusals() {
    std::vector<Numbers> all;
    for (const Refusal& one : replay_.refusals()) all.push_back(Of(one));
    return all;
  }
  // In the order of their first event, as the analyzer numbers them.
  std::vector<std::tuple<std::string, int, Numbers>> Sites() {
    std::vector<std::tuple<std::string, int, Numbers>> all;
    for (const Site& site : sites_.sites()) {
      all.emplace_back(
          site.chain, site.device,
          Numbers{site.allocations, site.frees, site.failures,
                  site.allocated_bytes, site.live_bytes, site.peak_bytes});
    }
    return all;
  }

 private:
  Database db_;
  SiteTable sites_;
  Replay replay_;
  trace::Checkpoint checkpoint_;
  Statement rows_;
};

void CheckSame(Reader* whole, Reader* rest) {
  CHECK(rest->Devices() == whole->Devices());
  CHECK(rest->Sites() == whole->Sites());
  CHECK(rest->Refusals() == whole->Refusals());
}

void CheckEventForEvent(const std::string& whole_path,
                        const std::string& rest_path) {
  Reader whole(whole_path);
  Reader rest(rest_path);
  REQUIRE(rest.checkpoint().event > 0);
  whole.SkipTo(rest.checkpoint().event);
  CheckSame(&whole, &rest);
  int64_t events = 0;
  for (int64_t id = whole.Next(); id != 0; id = whole.Next(), ++events) {
    REQUIRE(rest.Next() == id);
    REQUIRE(rest.live_bytes() == whole.live_bytes());
  }
  CHECK(rest.Next() == 0);
  CHECK(events >= trace::kNeverFolded);
  CheckSame(&whole, &rest);
}

TEST_CASE("a trace with a small budget replays like one without a limit") {
  for (const uint32_t seed : {1u, 2u, 3u}) {
    INFO("seed " << seed);
    TempDir dir;
    Record(dir.File("whole"), seed, {});
    Limits small;
    small.bytes = 1 << 20;
    Record(dir.File("small"), seed, small);
    CHECK(std::filesystem::file_size(dir.File("small")) <= small.bytes);
    CHECK(std::filesystem::file_size(dir.File("whole")) > 2 * small.bytes);
    CheckEventForEvent(dir.File("whole"), dir.File("small"));
  }
}

TEST_CASE("steps of any size fold to the same") {
  for (const uint32_t seed : {11u, 12u, 13u, 14u}) {
    INFO("seed " << seed);
    TempDir dir;
    Limits limits;
    limits.batches = 8;
    Record(dir.File("whole"), seed, limits);
    std::filesystem::copy_file(dir.File("whole"), dir.File("folded"));
    std::mt19937 random(seed);
    auto db =
        Database::Open(dir.File("folded"), Database::Mode::kReadWrite).Take();
    for (int i = 0; i < 12; ++i) {
      REQUIRE(db.Execute("BEGIN").ok());
      auto folded = trace::FoldMemoryEvents(&db, 1 + random() % 1200);
      INFO(folded.status().message());
      REQUIRE(folded.ok());
      // One that is rolled back leaves nothing behind.
      REQUIRE(db.Execute(random() % 3 == 0 ? "ROLLBACK" : "COMMIT").ok());
    }
    CheckEventForEvent(dir.File("whole"), dir.File("folded"));
  }
}

TEST_CASE("what the process held when a step ended is kept") {
  TempDir dir;
  Record(dir.File("whole"), 5, {});
  Limits small;
  small.bytes = 1 << 20;
  Record(dir.File("small"), 5, small);
  auto db = Database::Open(dir.File("small"), Database::Mode::kReadOnly).Take();
  auto steps = db.Prepare(
                     "SELECT end_ns, live_bytes FROM step JOIN "
                     "checkpoint_step ON step=id ORDER BY end_ns, id")
                   .Take();
  auto events = Database::Open(dir.File("whole"), Database::Mode::kReadOnly);
  auto rows = events
                  ->Prepare("SELECT " + std::string(trace::kEventColumns) +
                            " FROM memory_event ORDER BY id")
                  .Take();
  SiteTable sites([](int64_t) { return std::vector<Frame>(); });
  Replay replay(&sites);
  int64_t compared = 0;
  bool more = steps.Step();
  while (more && rows.Step()) {
    const MemoryEvent event = trace::EventOf(rows);
    for (; more && steps.Int(0) <= event.time; more = steps.Step()) {
      REQUIRE(steps.Int(1) == replay.LiveBytes());
      ++compared;
    }
    replay.Add(event);
  }
  CHECK(compared > 50);
}

TEST_CASE("if several stacks lead to one site, only its peak is less exact") {
  TempDir dir;
  Record(dir.File("whole"), 7, {});
  Limits small;
  small.bytes = 1 << 20;
  Record(dir.File("small"), 7, small);
  Reader whole(dir.File("whole"), 10);
  Reader rest(dir.File("small"), 10);
  while (whole.Next() != 0) {
  }
  while (rest.Next() != 0) {
  }
  auto wanted = whole.Sites();
  auto sites = rest.Sites();
  REQUIRE(sites.size() == wanted.size());
  for (size_t i = 0; i < sites.size(); ++i) {
    Numbers& got = std::get<2>(sites[i]);
    Numbers& want = std::get<2>(wanted[i]);
    CHECK(got.back() <= want.back());
    CHECK(got.back() > 0);
    got.pop_back(), want.pop_back();
  }
  CHECK(sites == wanted);
}

TEST_CASE("coverage says from when on events are kept one by one") {
  TempDir dir;
  Limits small;
  small.bytes = 1 << 20;
  Record(dir.File("small"), 6, small);
  const std::string path = dir.File("small");
  CHECK(trace::Query(path,
                     "SELECT count(*) FROM coverage WHERE "
                     "source='memory_event' AND state='off' AND to_ns="
                     "(SELECT time_ns FROM checkpoint)") == 1);
  CHECK(trace::Query(path,
                     "SELECT count(*) FROM coverage WHERE "
                     "source='memory_event' AND state='on' AND from_ns="
                     "(SELECT time_ns FROM checkpoint) AND "
                     "to_ns IS NULL") == 1);
  // No successful events are left, failed ones stay.
  CHECK(trace::Query(path,
                     "SELECT count(*) FROM memory_event WHERE result=0 "
                     "AND id<=(SELECT event FROM checkpoint)") == 0);
  CHECK(trace::Query(path,
                     "SELECT count(*) FROM memory_event WHERE result<>0 "
                     "AND id<=(SELECT event FROM checkpoint)") > 100);
  CHECK(trace::Query(path,
                     "SELECT folded + (SELECT count(*) FROM memory_event,"
                     "checkpoint WHERE id>event) FROM checkpoint") == 60'000);
}

}  // namespace
}  // namespace inquest::memory
