// Turns journal records into rows of a trace (schema.sql). Used by the
// collector's drain while a process lives and by finish.cc after it died, which
// is why both give the same trace. One thread at a time.
//
// Records are entered between Begin and Commit; Commit stores the ticket up to
// which the journal has been entered in the same transaction, so a record is
// never entered twice nor lost, whenever the process dies. While recording the
// database is in WAL mode, readable for others; Finish makes it one file.
//
// cuDNN calls: cudnn_stat counts all of them, cudnn_call keeps the failed ones
// and the last kRawCudnnCalls others; cudnn_interval says with which algorithm
// and workspace an operation was run from when to when. Of a framework's
// allocator the live blocks, the last others and its sums over time stay
// (framework_memory.h). Beyond `max_bytes`
// successful memory events, a framework's blocks, raw calls and steps are no
// longer entered but counted in `loss`.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>

#include "trace/cudnn_intervals.h"
#include "trace/framework_memory.h"
#include "trace/journal_format.h"
#include "trace/records.h"
#include "trace/sqlite.h"
#include "trace/status.h"

namespace inquest::trace {

class TraceWriter {
 public:
  static constexpr size_t kRawCudnnCalls = 10'000;

  // Opens the trace at `path` or makes it, mode 0600. Refuses what is not a
  // trace or is of a newer schema.
  static Expected<TraceWriter> Open(const std::string& path,
                                    uint64_t max_bytes);
  TraceWriter() = default;  // not open: only to be assigned to
  TraceWriter(TraceWriter&&) = default;
  TraceWriter& operator=(TraceWriter&&) = default;

  // All journal slots below this ticket are in the file already.
  uint64_t drained_ticket() const { return drained_ticket_; }
  bool clean_end() const { return clean_end_; }

  Status Begin();
  // Never fails for what is wrong with the record itself: one that makes no
  // sense is counted in `loss`. A failure of the database is told by Commit.
  void Add(uint64_t ticket, uint32_t kind, std::string_view payload);
  // Enters what the journal's header counts as lost.
  void AddJournalLosses(const JournalHeader& header, uint64_t torn);
  // Adds to what was lost of `kind`.
  void Lose(std::string_view kind, int64_t count, std::string_view note);
  void SetMeta(std::string_view key, std::string_view value);
  Status Commit(uint64_t drained_ticket);
  // After a failed Commit: nothing of this batch has been stored.
  void Rollback();

  // Ends WAL mode and names who finished the trace.
  Status Finish(std::string_view finished_by, bool clean_end, int64_t end_ns);

 private:
  struct CudnnStat {
    int64_t calls = 0, total_ns = 0, max_ns = 0;
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

  Status Prepare();
  Status CreateSchema();
  Status CheckSchema();
  Status AddNewTables();
  Status LoadState();
  Status LoadIntervals();
  Status LoadFramework();
  Statement* Get(const char* sql);
  void Run(Statement* statement);
  void Malformed();
  void SetLoss(std::string_view kind, int64_t count, std::string_view note);

  void AddMemory(uint64_t ticket, std::string_view payload);
  void AddStack(std::string_view payload);
  void AddFramework(uint64_t ticket, std::string_view payload);
  void EnterRefusal(uint64_t ticket, const FrameworkMemoryRecord& record);
  void StoreBlock(const FrameworkBlock& block);
  void StoreInterval(const FrameworkInterval& interval);
  void Enter(uint64_t ticket, const ProcessRecord& record);
  void Enter(uint64_t ticket, const ClockAnchorRecord& record);
  void Enter(uint64_t ticket, const EnvironmentRecord& record);
  void Enter(uint64_t ticket, const LibraryRecord& record);
  void Enter(uint64_t ticket, const DeviceRecord& record);
  void Enter(uint64_t ticket, const DeviceMemoryRecord& record);
  void Enter(uint64_t ticket, const DeviceProcessRecord& record);
  void Enter(uint64_t ticket, const ApiErrorRecord& record);
  void Enter(uint64_t ticket, const ApiErrorRepeatRecord& record);
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
  template <typename Record>
  void EnterAs(uint64_t ticket, std::string_view payload);
  void FlushCudnn();
  void FlushIntervals();
  void FlushFramework();
  void FlushRepeats();

  Database db_;
  std::map<const char*, Statement> statements_;
  Status failure_;
  uint64_t max_bytes_ = 0;
  bool over_budget_ = false;
  bool in_batch_ = false;
  uint64_t drained_ticket_ = 0;
  bool clean_end_ = false;
  Stats stats_;
  std::deque<RawCall> raw_calls_;   // of this batch
  std::deque<int64_t> stored_raw_;  // ids in the file, oldest first
  CudnnIntervals intervals_;
  FrameworkMemory framework_;
  std::map<uint64_t, int64_t> repeats_;
  std::map<std::string, int64_t, std::less<>> over_budget_losses_;
};

}  // namespace inquest::trace
