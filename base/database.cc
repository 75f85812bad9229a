// SPDX-License-Identifier: Apache-2.0
#include "base/database.h"

#include <sqlite3.h>

#include <utility>

namespace inquest {

void Statement::Finalizer::operator()(sqlite3_stmt* stmt) const {
  sqlite3_finalize(stmt);
}

Statement Statement::Unprepared(Status why) {
  Statement statement;
  statement.unprepared_ = std::move(why);
  return statement;
}

Statement& Statement::Bind(int index, int64_t value) {
  sqlite3_bind_int64(stmt_.get(), index + 1, value);
  return *this;
}

Statement& Statement::Bind(int index, double value) {
  sqlite3_bind_double(stmt_.get(), index + 1, value);
  return *this;
}

Statement& Statement::Bind(int index, std::string_view text) {
  // A null pointer would bind NULL instead of an empty string.
  const char* data = text.data() == nullptr ? "" : text.data();
  sqlite3_bind_text64(stmt_.get(), index + 1, data, text.size(),
                      SQLITE_TRANSIENT, SQLITE_UTF8);
  return *this;
}

Statement& Statement::BindBlob(int index, const void* data, size_t size) {
  sqlite3_bind_blob64(stmt_.get(), index + 1, data, size, SQLITE_TRANSIENT);
  return *this;
}

Statement& Statement::BindNull(int index) {
  sqlite3_bind_null(stmt_.get(), index + 1);
  return *this;
}

bool Statement::Step() {
  // Without a statement there is no connection to ask for the error.
  if (stmt_ == nullptr) {
    status_ = unprepared_.ok() ? Internal("there is no statement to run")
                               : unprepared_;
    return false;
  }
  const int result = sqlite3_step(stmt_.get());
  if (result == SQLITE_ROW) return true;
  if (result != SQLITE_DONE) {
    status_ = Internal(sqlite3_errmsg(sqlite3_db_handle(stmt_.get())));
  }
  return false;
}

Status Statement::RunBound() {
  while (Step()) {
  }
  Status result = status_;
  Reset();
  return result;
}

void Statement::Reset() {
  sqlite3_reset(stmt_.get());
  status_ = Status::Ok();
}

bool Statement::IsReadOnly() const {
  return sqlite3_stmt_readonly(stmt_.get()) != 0;
}

int Statement::parameters() const {
  return sqlite3_bind_parameter_count(stmt_.get());
}

std::string_view Statement::ParameterName(int index) const {
  const char* name = sqlite3_bind_parameter_name(stmt_.get(), index + 1);
  return name == nullptr ? "" : name + 1;
}

int Statement::columns() const {
  return sqlite3_column_count(stmt_.get());
}

std::string_view Statement::ColumnName(int index) const {
  return sqlite3_column_name(stmt_.get(), index);
}

bool Statement::IsNull(int index) const {
  return sqlite3_column_type(stmt_.get(), index) == SQLITE_NULL;
}

bool Statement::IsInteger(int index) const {
  return sqlite3_column_type(stmt_.get(), index) == SQLITE_INTEGER;
}

bool Statement::IsReal(int index) const {
  return sqlite3_column_type(stmt_.get(), index) == SQLITE_FLOAT;
}

int64_t Statement::Int(int index) const {
  return sqlite3_column_int64(stmt_.get(), index);
}

double Statement::Real(int index) const {
  return sqlite3_column_double(stmt_.get(), index);
}

std::string_view Statement::Text(int index) const {
  const auto* text = sqlite3_column_text(stmt_.get(), index);
  if (text == nullptr) return {};
  return {reinterpret_cast<const char*>(text),
          static_cast<size_t>(sqlite3_column_bytes(stmt_.get(), index))};
}

std::string_view Statement::Blob(int index) const {
  const void* blob = sqlite3_column_blob(stmt_.get(), index);
  if (blob == nullptr) return {};
  return {static_cast<const char*>(blob),
          static_cast<size_t>(sqlite3_column_bytes(stmt_.get(), index))};
}

int64_t Statement::ByteSize(int index) const {
  const int type = sqlite3_column_type(stmt_.get(), index);
  const bool sized = type == SQLITE_TEXT || type == SQLITE_BLOB;
  return sized ? sqlite3_column_bytes(stmt_.get(), index) : 0;
}

void Database::Closer::operator()(sqlite3* db) const {
  sqlite3_close_v2(db);
}

// Fails if SQLite is already initialized, as in a forked child, which has these
// settings from its parent.
void Database::SetUpProcess(int (*open)(const char*, int, int)) {
  sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
  sqlite3_initialize();
  sqlite3_vfs* vfs = sqlite3_vfs_find(nullptr);
  if (vfs != nullptr && vfs->iVersion >= 3) {
    vfs->xSetSystemCall(vfs, "open",
                        reinterpret_cast<sqlite3_syscall_ptr>(open));
  }
}

Expected<Database> Database::Open(const std::string& path, Mode mode) {
  int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI;
  if (mode == Mode::kReadOnly) flags |= SQLITE_OPEN_READONLY;
  if (mode == Mode::kReadWrite) flags |= SQLITE_OPEN_READWRITE;
  if (mode == Mode::kCreate) {
    flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  }
  sqlite3* raw = nullptr;
  const int result = sqlite3_open_v2(path.c_str(), &raw, flags, nullptr);
  Database database;
  database.db_.reset(raw);
  database.path_ = path;
  if (result != SQLITE_OK) {
    const std::string why =
        raw != nullptr ? sqlite3_errmsg(raw) : "out of memory";
    return Unreadable("cannot open the database '" + path + "': " + why);
  }
  sqlite3_extended_result_codes(raw, 1);
  sqlite3_busy_timeout(raw, 5000);
  return database;
}

Status Database::Execute(std::string_view sql) {
  const std::string text(sql);
  char* error = nullptr;
  if (sqlite3_exec(db_.get(), text.c_str(), nullptr, nullptr, &error) ==
      SQLITE_OK) {
    return Status::Ok();
  }
  Status status = Internal(error != nullptr ? error : "unknown SQLite error");
  sqlite3_free(error);
  return status;
}

Expected<Statement> Database::Prepare(std::string_view sql,
                                      std::string_view* rest) {
  sqlite3_stmt* raw = nullptr;
  const char* tail = sql.data();
  if (sqlite3_prepare_v2(db_.get(), sql.data(), static_cast<int>(sql.size()),
                         &raw, &tail) != SQLITE_OK) {
    return Internal(LastError());
  }
  if (rest != nullptr)
    *rest = sql.substr(static_cast<size_t>(tail - sql.data()));
  Statement statement;
  statement.stmt_.reset(raw);
  return statement;
}

Expected<int64_t> Database::QueryInt(std::string_view sql) {
  ASSIGN_OR_RETURN(Statement statement, Prepare(sql));
  const int64_t value = statement.Step() ? statement.Int(0) : 0;
  RETURN_IF_ERROR(statement.status());
  return value;
}

int64_t Database::LastInsertId() const {
  return sqlite3_last_insert_rowid(db_.get());
}

std::string Database::LastError() const {
  return sqlite3_errmsg(db_.get());
}

}  // namespace inquest
