// SPDX-License-Identifier: Apache-2.0
// Turns journal records into rows of a trace (schema.sql). Used by the
// collector's background thread while a process lives and by finish.cc after it
// died, so both write the same trace. One thread at a time.
//
// Records are inserted between Begin and Commit. Commit stores, in the same
// transaction, the ticket up to which the journal has been moved, so no record
// is inserted twice or lost, whenever the process dies. While recording the
// database is in WAL mode, so others can read it; Finish makes it one file.
//
// cuDNN calls: cudnn_stat counts all of them, cudnn_call keeps the failed ones
// and the last kRawCudnnCalls others; cudnn_interval says with which algorithm
// and workspace an operation was run from when to when.
//
// For a framework's allocator it keeps the live blocks, the last ones freed and
// the sums over time (framework_memory.h).
//
// The trace stays within `max_bytes`, its write-ahead log included: tables have
// limits (retention.h), and near the limit the oldest memory events are folded
// (fold.h), a few per batch. If that is not enough, because all blocks are live
// or a reader keeps the log from being emptied, only failures and facts about
// the process are still stored; the rest is counted in `loss`.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/database.h"
#include "base/status.h"
#include "trace/journal/journal.h"
#include "trace/records/records.h"
#include "trace/store/cudnn_intervals.h"
#include "trace/store/disk_budget.h"
#include "trace/store/framework_memory.h"
#include "trace/store/retention.h"

namespace inquest::trace {

class TraceWriter {
 public:
  static constexpr size_t kRawCudnnCalls = 10'000;
  static constexpr size_t kMaxChoices = 50'000;  // of cudnn_choice

  // Opens the trace at `path` or creates it, mode 0600. Refuses files that are
  // not traces or have a newer schema.
  static Expected<TraceWriter> Open(const std::string& path,
                                    uint64_t max_bytes);
  // Creates a trace that nobody else opens before it is finished, and that is
  // thrown away if that fails: no log, no locks, no waiting for the disk.
  static Expected<TraceWriter> CreateUnshared(const std::string& path,
                                              uint64_t max_bytes);
  TraceWriter() : TraceWriter(0) {}  // not open: only for assignment
  TraceWriter(TraceWriter&&) = default;
  TraceWriter& operator=(TraceWriter&&) = default;

  // All journal slots below this ticket are in the file already.
  uint64_t drained_ticket() const { return drained_ticket_; }
  bool clean_end() const { return clean_end_; }

  Status Begin();
  // Never fails because of the record: a malformed one is counted in `loss`.
  // Commit reports failures of the database.
  void Add(uint64_t ticket, uint32_t kind, std::string_view payload);
  // Records what the journal counts as lost.
  void AddJournalLosses(const JournalLosses& losses);
  // Adds to what was lost of `kind`.
  void Lose(std::string_view kind, int64_t count, std::string_view note);
  void SetMeta(std::string_view key, std::string_view value);
  Status Commit(uint64_t drained_ticket);
  // After a failed Commit: nothing of this batch has been stored.
  void Rollback();

  // Ends WAL mode, records who finished the trace, and closes one that is not
  // shared.
  Status Finish(std::string_view finished_by, bool clean_end, int64_t end_ns);

 private:
  explicit TraceWriter(uint64_t max_bytes)
      : budget_(max_bytes), retention_(max_bytes) {}

  struct CudnnStat {
    int64_t calls = 0, total_ns = 0, max_ns = 0;
  };
  struct Choice {
    std::string function;
    uint64_t operation = 0, workspace_bytes = 0;
    int32_t algorithm = 0;
  };
  using StatKey = std::pair<std::string, int64_t>;
  using Stats = std::map<StatKey, CudnnStat, std::less<>>;
  struct RawCall {
    uint64_t ticket;
    int64_t time_ns, duration_ns;
    uint64_t handle;
    uint32_t thread;
    std::string function;
  };

  static Expected<TraceWriter> Open(const std::string& path, uint64_t max_bytes,
                                    bool shared);
  Status Prepare();
  Status PrepareUnshared();
  bool HasRoomFor(RecordKind kind, std::string_view payload) const;
  Status TrimTables();
  Status Fold();
  Status KeepWithinBudget();
  size_t RawCudnnCalls() const;
  Status CreateSchema();
  Status CheckSchema();
  Status AddNewTables();
  Status LoadState();
  static std::string WithChoice(const Choice& choice, std::string_view detail);
  Status LoadChoices();
  Status LoadIntervals();
  Status LoadFramework();
  Status LoadFrameworkIntervals();
  Statement* Get(const char* sql);
  // Runs the statement with these parameters; `sql` is a literal.
  template <class... Values>
  void Write(const char* sql, const Values&... values) {
    Statement* statement = Get(sql);
    if (statement == nullptr) return;
    Note(statement->Run(values...));
  }
  void Note(Status status) {
    if (!status.ok() && failure_.ok()) failure_ = std::move(status);
  }
  void Malformed();
  void SetLoss(std::string_view kind, int64_t count, std::string_view note);

  void AddMemory(uint64_t ticket, std::string_view payload);
  void AddStack(std::string_view payload);
  void AddFramework(uint64_t ticket, std::string_view payload);
  void EnterRefusal(uint64_t ticket, const FrameworkMemoryRecord& record);
  void StoreBlock(const FrameworkBlock& block);
  void StoreInterval(const FrameworkInterval& interval);
  void AddPythonStack(std::string_view payload);
  void Enter(uint64_t ticket, const ProcessRecord& record);
  void Enter(uint64_t ticket, const ClockAnchorRecord& record);
  void Enter(uint64_t ticket, const EnvironmentRecord& record);
  void Enter(uint64_t ticket, LibraryRecord record);
  void Enter(uint64_t ticket, const LibraryCheckRecord& record);
  void Enter(uint64_t ticket, const LibraryPartRecord& record);
  void Enter(uint64_t ticket, const DriverRecord& record);
  void Enter(uint64_t ticket, const CgroupMemoryRecord& record);
  void Enter(uint64_t ticket, const DeviceRecord& record);
  void Enter(uint64_t ticket, const DeviceMemoryRecord& record);
  void Enter(uint64_t ticket, const DeviceProcessRecord& record);
  void Enter(uint64_t ticket, const ApiErrorRecord& record);
  void AddRepeat(std::string_view payload);
  void Enter(uint64_t ticket, const CudnnCallRecord& record);
  void Enter(uint64_t ticket, const MessageRecord& record);
  void Enter(uint64_t ticket, const StepBeginRecord& record);
  void Enter(uint64_t ticket, const StepEndRecord& record);
  void Enter(uint64_t ticket, const DeviceEventRecord& record);
  void Enter(uint64_t ticket, const CoverageRecord& record);
  void Enter(uint64_t ticket, const LossRecord& record);
  void Enter(uint64_t ticket, const MetaRecord& record);
  void Enter(uint64_t ticket, const CudnnOperationRecord& record);
  void Enter(uint64_t ticket, const CudnnRunRecord& record);
  void Enter(uint64_t ticket, const PackageRecord& record);
  void Enter(uint64_t ticket, const CudnnStatRecord& record);
  void Enter(uint64_t ticket, const CudnnChoiceRecord& record);
  void Enter(uint64_t ticket, const CudnnTurnRecord& record);
  void Enter(uint64_t ticket, const PythonFrameRecord& record);
  template <typename Record>
  void EnterAs(uint64_t ticket, std::string_view payload);
  void FlushEvents();
  void FlushCudnn();
  void FlushIntervals();
  void FlushFramework();
  void FlushRepeats();

  Database db_;
  std::map<const char*, Statement> statements_;
  Status failure_;
  DiskBudget budget_;
  Retention retention_;
  static constexpr size_t kEventsAtOnce = 1024;
  int64_t memory_events_ = 0;            // of this batch
  std::vector<int64_t> waiting_events_;  // of this batch; rows not stored yet
  bool shared_ = true;
  bool in_batch_ = false;
  uint64_t drained_ticket_ = 0;
  bool clean_end_ = false;
  Stats stats_;
  std::deque<RawCall> raw_calls_;   // of this batch
  std::deque<int64_t> stored_raw_;  // ids in the file, oldest first
  CudnnIntervals intervals_;
  FrameworkMemory framework_;
  std::map<uint64_t, Choice> choices_;  // all those in the file
  std::map<uint64_t, int64_t> repeats_;
  std::map<std::string, int64_t, std::less<>> no_room_;  // kinds, this batch
};

}  // namespace inquest::trace
