// SPDX-License-Identifier: Apache-2.0
#include "analyzer/facts/store/parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "analyzer/facts/store/store.h"
#include "trace/store/plain_tables.h"

namespace inquest::facts {
namespace {

// What reading logs and replaying memory fills. All else is derived from it
// once the whole job is known.
constexpr std::array<std::string_view, 29> kPartTables = {
    "trace",          "run",
    "run_group",      "log_source",
    "log_line",       "log_event",
    "log_frame",      "log_native_frame",
    "log_chunk",      "allocation_site",
    "site_stack",     "peak_block",
    "peak_site",      "peak_size",
    "held_site",      "memory_category",
    "device_ledger",  "replay_fault",
    "device_usage",   "step",
    "step_candidate", "leak_suspect",
    "leak_step",      "growth_suspect",
    "leak_question",  "oom",
    "oom_blocker",    "earlier_run",
    "heap_block"};

// Columns of a table that can be written.
Expected<std::vector<std::string>> ColumnsOf(Database* db,
                                             std::string_view table) {
  return db->QueryTexts(
      fmt::format("SELECT name FROM pragma_table_info('store_{}')", table));
}

// A column's value as it is in the store that takes it in.
std::string Renumbered(std::string_view table, const std::string& column,
                       const PartNumbers& before) {
  const bool of_log = table.starts_with("log_");
  int64_t by = 0;
  if (column == "process") by = before.process;
  if (column == "source" && of_log) by = before.source;
  if (column == "site" || column == "later_site") by = before.site;
  if (column == "oom") by = before.oom;
  return by == 0 ? column : fmt::format("{} + {}", column, by);
}

}  // namespace

Status CheckPart(Database* db, const std::string& path) {
  auto id = db->QueryInt("PRAGMA part.application_id");
  if (!id.ok() || *id != kPartApplicationId) {
    return Unreadable("'" + path + "' is not a file of facts of inquest")
        .WithHint("`inquest ingest` makes them");
  }
  ASSIGN_OR_RETURN(const int64_t version,
                   db->QueryInt("PRAGMA part.user_version"));
  if (version != kPartVersion) {
    return Unreadable(fmt::format("'{}' has facts of version {}, this program "
                                  "reads version {}",
                                  path, version, kPartVersion))
        .WithHint("ingest the logs and traces again");
  }
  const Status plain = trace::CheckPlainTables(db, "part");
  if (plain.ok()) return plain;
  return Status(plain.code(), "'" + path + "': " + plain.message())
      .WithHint(plain.hint());
}

Expected<PartNumbers> NumbersSoFar(Database* db) {
  PartNumbers numbers;
  const auto most = [db](const char* column, const char* table) {
    return db->QueryInt(fmt::format("SELECT coalesce(max({}), 0) FROM store_{}",
                                    column, table));
  };
  ASSIGN_OR_RETURN(numbers.process, most("process", "trace"));
  ASSIGN_OR_RETURN(numbers.source, most("source", "log_source"));
  ASSIGN_OR_RETURN(numbers.site, most("site", "allocation_site"));
  ASSIGN_OR_RETURN(numbers.oom, most("oom", "oom"));
  return numbers;
}

Status CopyToPart(Database* db, const std::string& schema) {
  for (const std::string_view table : kPartTables) {
    ASSIGN_OR_RETURN(const auto columns, ColumnsOf(db, table));
    RETURN_IF_ERROR(db->Execute(fmt::format(
        "CREATE TABLE {0}.part_{1} AS SELECT {2} FROM main.store_{1} ORDER BY "
        "rowid",
        schema, table, fmt::join(columns, ", "))));
  }
  return Status::Ok();
}

Status CopyFromPart(Database* db, const std::string& schema,
                    const PartNumbers& before) {
  for (const std::string_view table : kPartTables) {
    ASSIGN_OR_RETURN(auto columns, ColumnsOf(db, table));
    // Events are numbered in the order of the logs, by the store.
    if (table == "log_event") std::erase(columns, "id");
    std::vector<std::string> values;
    for (const std::string& column : columns) {
      values.push_back(Renumbered(table, column, before));
    }
    RETURN_IF_ERROR(db->Execute(fmt::format(
        "INSERT INTO main.store_{0} ({1}) SELECT {2} FROM {3}.part_{0} ORDER "
        "BY rowid",
        table, fmt::join(columns, ", "), fmt::join(values, ", "), schema)));
  }
  return Status::Ok();
}

Status Store::NeedEvents(int process) const {
  if (EventsLeftOut(process) == 0) return Status::Ok();
  return Unreadable("of '" + paths_[static_cast<size_t>(process) - 1] +
                    "' only the facts are here, not each memory event")
      .WithHint("give the recorded run itself");
}

Status Store::BeginPart(const std::string& path) {
  RETURN_IF_ERROR(merged_.Begin(&db_, path));
  return db_.Execute(fmt::format(
      "PRAGMA merged.application_id = {}; PRAGMA merged.user_version = {};"
      "CREATE TABLE merged.part_process (process INTEGER, left_out INTEGER, "
      "missing TEXT)",
      kPartApplicationId, kPartVersion));
}

Status Store::CondenseOne(int process) {
  TraceTablesAt& trace = traces_[static_cast<size_t>(process) - 1];
  if (trace.process != 0) {
    RETURN_IF_ERROR(merged_.Add(&db_, trace, process, true));
    ASSIGN_OR_RETURN(
        const int64_t events,
        db_.QueryInt(fmt::format("SELECT (SELECT count(*) FROM {}memory_event) "
                                 "- (SELECT count(*) FROM merged.memory_event "
                                 "WHERE process = {})",
                                 trace.prefix, process)));
    left_out_[static_cast<size_t>(process) - 1] = events;
    std::string schema = trace.prefix;
    schema.pop_back();  // the dot
    RETURN_IF_ERROR(db_.Execute("DETACH " + schema));
    trace.prefix = "merged.";
    trace.process = 0;
    --attached_;
  }
  ASSIGN_OR_RETURN(
      Statement insert,
      db_.Prepare("INSERT INTO merged.part_process VALUES (?, ?, ?)"));
  return insert.Run(process, EventsLeftOut(process),
                    fmt::format("{}", fmt::join(trace.missing, " ")));
}

Status Store::Condense(int first) {
  for (int process = first; process <= traces(); ++process) {
    RETURN_IF_ERROR(CondenseOne(process));
  }
  return Status::Ok();
}

Status Store::EndPart() {
  RETURN_IF_ERROR(db_.Execute("BEGIN"));
  RETURN_IF_ERROR(CopyToPart(&db_, "merged"));
  return db_.Execute("COMMIT");
}

// Enters the processes of a part whose tables were taken in already.
Status Store::TakeProcesses(const std::string& schema) {
  ASSIGN_OR_RETURN(
      Statement row,
      db_.Prepare(fmt::format(
          "SELECT t.path, t.offset_ns, p.left_out, p.missing FROM "
          "{0}.part_trace "
          "AS t JOIN {0}.part_process AS p USING (process) ORDER BY process",
          schema)));
  std::string path, missing;
  int64_t offset = 0, left_out = 0;
  while (row.Next(&path, &offset, &left_out, &missing)) {
    TraceTablesAt trace{"merged.", 0, {}};
    for (const std::string_view table : kAddedTables) {
      const std::string padded = " " + missing + " ";
      if (padded.find(" " + std::string(table) + " ") != padded.npos) {
        trace.missing.emplace(table);
      }
    }
    traces_.push_back(std::move(trace));
    offsets_.push_back(offset);
    paths_.push_back(path);
    left_out_.push_back(left_out);
  }
  return row.status();
}

Status Store::AddPart(const std::string& path,
                      const std::function<Status()>& also) {
  if (!merged_.begun()) RETURN_IF_ERROR(merged_.Begin(&db_));
  ASSIGN_OR_RETURN(Statement attach, db_.Prepare("ATTACH ? AS part"));
  if (Status status = attach.Run(Database::ReadOnlyUri(path, true));
      !status.ok()) {
    return Unreadable("cannot open '" + path + "': " + status.message());
  }
  Status status = CheckPart(&db_, path);
  if (status.ok()) status = TakePart(path);
  if (status.ok()) status = also();
  RETURN_IF_ERROR(db_.Execute("DETACH part"));
  return status;
}

// After a failure the rows that were already added stay.
Status Store::TakePart(const std::string& path) {
  ASSIGN_OR_RETURN(const PartNumbers before, NumbersSoFar(&db_));
  RETURN_IF_ERROR(db_.Execute("BEGIN"));
  Status status = CopyFromPart(&db_, "part", before);
  if (status.ok()) {
    status = merged_.TakeIn(&db_, "part", static_cast<int>(before.process));
  }
  RETURN_IF_ERROR(db_.Execute("COMMIT"));
  if (status.ok()) status = TakeProcesses("part");
  if (status.ok()) return status;
  return Unreadable("the facts of '" + path +
                    "' are damaged: " + status.message())
      .WithHint("remove the file and ingest its logs and traces again");
}

}  // namespace inquest::facts
