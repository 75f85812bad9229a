// SPDX-License-Identifier: Apache-2.0
// Writes a trace (trace/schema.sql) from another tool's recording, in a single
// transaction: unlike TraceWriter it need not survive being killed. Each
// importer makes one per trace; the file is unusable until Finish succeeds. One
// thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/database.h"
#include "base/status.h"
#include "trace/records/event.h"

namespace inquest::importers {

// What was live before the recording is a checkpoint that takes this place
// among the memory events; the first event comes after it.
inline constexpr int64_t kCheckpointEvent = 1;

struct TraceEvent {  // a row of memory_event; see the schema
  int64_t id = 0;
  int64_t time_ns = 0;
  trace::MemoryOp op = trace::MemoryOp::kAlloc;
  trace::MemoryKind kind = trace::MemoryKind::kDevice;
  int64_t device = -1;
  uint64_t stream = 0;
  uint64_t pool = 0;
  uint64_t address = 0;
  int64_t bytes = 0;
  int64_t result = 0;
  int64_t stack = 0;
  int64_t context = 0;
  int64_t thread = 0;
};

struct TraceProcess {  // a row of process; unknown values stay empty
  int64_t pid = 0;
  std::string host;
  std::string executable;
  std::string command;
  std::optional<int64_t> rank, local_rank, world_size;
};

class TraceFile {
 public:
  // `path` must not hold a database yet. Mode 0600: traces name users' files.
  static Expected<TraceFile> Create(const std::string& path);

  Status Add(const TraceEvent& event);
  void Environment(std::string_view name, std::string_view value);
  // `to_ns` of INT64_MAX: to the end.
  void Coverage(std::string_view source, int64_t from_ns, int64_t to_ns,
                std::string_view state, std::string_view note);
  void Loss(std::string_view kind, int64_t count, std::string_view note);
  // The process of the trace; before Finish.
  void Process(TraceProcess process) { process_ = std::move(process); }
  // A row of any other table: all its columns, in the schema's order. Replaces
  // one with the same key. Finish returns the first failure.
  template <class... Values>
  void AddRow(const char* table, const Values&... values) {
    Run(InsertInto(table, sizeof...(values)), values...);
  }
  // Any other statement; likewise.
  template <class... Values>
  void Execute(const char* sql, const Values&... values) {
    Run(Prepared(sql, sql), values...);
  }

  // Only the wall clock is known: it serves as the monotonic clock, too.
  Status Finish(int64_t first_ns, int64_t last_ns, std::string_view importer);

 private:
  void AddProcess(int64_t first_ns);
  Statement* InsertInto(const char* table, size_t columns);
  // Each statement is compiled once; `key` is compared as a pointer.
  Statement* Prepared(const char* key, const std::string& sql);
  template <class... Values>
  void Run(Statement* statement, const Values&... values) {
    if (failure_.ok()) failure_ = statement->Run(values...);
  }

  Database db_;
  Statement event_;
  std::map<const char*, Statement> statements_;
  TraceProcess process_;
  Status failure_;
};

}  // namespace inquest::importers
