// SPDX-License-Identifier: Apache-2.0
#include "trace/store/live_trace.h"

#include <unistd.h>

#include "base/database.h"
#include "trace/store/plain_tables.h"

namespace inquest::trace {
namespace {

constexpr const char* kTables = "SELECT count(*) FROM sqlite_schema";

bool IsThere(const std::string& path) {
  return access(path.c_str(), F_OK) == 0;
}

Expected<int64_t> Tables(const std::string& trace_path) {
  ASSIGN_OR_RETURN(Database db,
                   Database::Open(trace_path, Database::Mode::kReadOnly));
  return db.QueryInt(kTables);
}

}  // namespace

bool HasNoTable(const std::string& trace_path) {
  if (!IsThere(trace_path)) return true;
  const Expected<int64_t> tables = Tables(trace_path);
  return tables.ok() && *tables == 0;
}

bool NeedsRollback(const std::string& trace_path) {
  return IsThere(trace_path + "-journal") && !Tables(trace_path).ok();
}

Status Settle(const std::string& copy_path) {
  if (!IsThere(copy_path)) return Status::Ok();
  ASSIGN_OR_RETURN(Database db,
                   Database::Open(copy_path, Database::Mode::kReadWrite));
  RETURN_IF_ERROR(CheckPlainTables(&db, "main"));
  return db.Execute("PRAGMA journal_mode=DELETE");
}

}  // namespace inquest::trace
