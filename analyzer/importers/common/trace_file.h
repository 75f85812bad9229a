// Writes a trace (trace/schema.sql) from what another program recorded: whole,
// at once, in one transaction and by one thread, where TraceWriter must serve a
// process that may die. Importers make one each; the file is of no use before
// Finish was well.
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

struct TraceProcess {  // its row of process; what nothing tells stays empty
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
  // Of which process the trace is; before Finish.
  void Process(TraceProcess process) { process_ = std::move(process); }
  // For rows of other tables; the first failure is told by Finish.
  Statement* Insert(const char* sql);
  void Run(Statement* statement);

  // Times in a trace of a program that told only the wall clock: both are the
  // same.
  Status Finish(int64_t first_ns, int64_t last_ns, std::string_view importer);

 private:
  void EnterProcess(int64_t first_ns);

  Database db_;
  Statement event_;
  std::map<const char*, Statement> statements_;
  TraceProcess process_;
  Status failure_;
};

}  // namespace inquest::importers
