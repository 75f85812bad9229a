// SPDX-License-Identifier: Apache-2.0
// The analyzer's database: one connection in which the first traces are
// attached read-only and further ones merged, logs and derived facts are
// stored, and the fact views are defined. Made by the command line for one
// diagnosis; filled by ingest, the memory analysis and the ending; then read by
// rules, queries and reports. Not thread-safe. Traces are never changed through
// it. It lives in a temporary file that SQLite removes, so its size is bounded
// by the disk, not by memory.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/facts/store/catalogue.h"
#include "analyzer/facts/store/merged_traces.h"
#include "base/cgroup/memory_groups.h"
#include "base/database.h"
#include "base/status.h"

namespace inquest::facts {

// The value for a table of a text that may be unknown.
template <class Text>
std::optional<Text> NullIfEmpty(Text text) {
  if (text.empty()) return {};
  return text;
}

// The contents of a recorded run's run.json.
struct RunFacts {
  std::string directory;
  std::string command;
  std::string host;
  std::optional<int64_t> start_time;
  std::optional<int64_t> end_time;
  std::optional<int64_t> exit_code;
  std::optional<int64_t> signal;
  std::optional<bool> collector;  // whether it was in the processes
  // "ended", "alive" (its process runs on this machine), "vanished" (it does
  // not, and no end was written); empty if unknown.
  std::string state;
  std::string slurm_job;  // its id; empty: not started by Slurm
  // Of memory, before the command and after its end.
  std::vector<MemoryGroup> groups_before;
  std::vector<MemoryGroup> groups_after;
};

struct TraceInput {
  std::string path;          // as it is named in facts and messages
  std::string read_at = {};  // where it is read, if elsewhere
  bool alive = false;        // its process still writes it
  bool frozen = false;       // nothing may be made beside it
};

class Store {
 public:
  static Expected<Store> Create();

  Status AddRun(const RunFacts& run);
  // Adds a finished trace and returns its process number, from 1. Refuses other
  // files and newer schemas, with the reason.
  Expected<int> AddTrace(const TraceInput& trace);
  Expected<int> AddTrace(const std::string& path) {
    return AddTrace(TraceInput{path});
  }
  // What the last trace has lost by damage, if any: what could still be read
  // was added.
  Status TakeDamage() { return std::exchange(damage_, Status::Ok()); }
  // Before the first AddTrace: looks for damage in each row.
  void CheckThoroughly() { thoroughly_ = true; }
  // For a later failure: which of the traces are damaged, if any.
  Status NameDamage(const Status& status);
  // Defines the fact views; call once, after the last AddTrace.
  Status DefineFacts();

  // Before that: runs `work` with one fact over the traces so far.
  Status WithFact(const std::string& name, const std::function<Status()>& work);

  Database& db() { return db_; }
  int traces() const { return static_cast<int>(traces_.size()); }
  // The prefix of table names of that process's trace: "trace1."; valid until
  // the next call for another process. Rules and queries read facts instead.
  std::string TracePrefix(int process);
  // Whether its trace has one of kAddedTables.
  bool HasTable(int process, std::string_view table) const {
    return !traces_[static_cast<size_t>(process) - 1].missing.contains(table);
  }
  // Wall clock minus the monotonic clock of that trace, nanoseconds.
  int64_t ClockOffset(int process) const {
    return offsets_[static_cast<size_t>(process) - 1];
  }
  // Memory events of that process's trace that were replayed where its facts
  // were made and are not here: what needs them all is unknown.
  int64_t EventsLeftOut(int process) const {
    return left_out_[static_cast<size_t>(process) - 1];
  }

  // The error that says so, for what replays them.
  Status NeedEvents(int process) const;

  // A file of facts (parts.h) is made: before the first AddTrace.
  Status BeginPart(const std::string& path);
  // Moves the traces from number `first` on into it, once their memory was
  // analyzed.
  Status Condense(int first);
  // Completes the file; the last call.
  Status EndPart();
  // Adds what EndPart wrote. Its logs are numbered on from those of earlier
  // parts, and its processes, too. `also` reads more of it, in the schema
  // `part`. Nothing is added from a file that does not hold facts
  // (kUnreadable).
  Status AddPart(const std::string& path, const std::function<Status()>& also);

  // Whether the fact has at least one row.
  bool HasRows(const std::string& fact);

 private:
  Status AddGroups(int64_t time, const std::vector<MemoryGroup>& groups);
  Expected<std::string> Attach(const TraceInput& trace);
  Expected<TraceTablesAt> TablesAt(const std::string& schema);
  Expected<TraceTablesAt> TakeIn(const std::string& path,
                                 const std::string& schema, bool alive);
  Status SalvageIfDamaged(const std::string& schema, const std::string& path,
                          const std::string& uri);
  Status Enter(const std::string& path, const std::string& prefix, bool alive);
  std::vector<TraceTablesAt> Parts() const;
  Status AttachEmptyTrace();
  Status AddViews();
  Status CondenseOne(int process);
  Status TakePart(const std::string& path);
  Status TakeProcesses(const std::string& schema);

  Database db_;
  MergedTraces merged_;
  std::vector<TraceTablesAt> traces_;
  std::vector<int64_t> offsets_;
  std::vector<std::string> paths_;
  std::vector<int64_t> left_out_;
  bool has_empty_trace_ = false;
  size_t attached_ = 0;  // traces that are read where they are
  Status damage_;
  bool thoroughly_ = false;
};

}  // namespace inquest::facts
