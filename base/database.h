// The only place that calls SQLite's C interface: a connection and a statement,
// each closing itself. Used by the collector (with its own static copy of the
// library) and by the analyzer. Neither class is thread-safe: one thread each.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"

struct sqlite3;
struct sqlite3_stmt;

namespace inquest {

class Statement {
 public:
  Statement() = default;
  // One that could not be prepared: it takes no values, has no rows and always
  // fails for this reason.
  static Statement Unprepared(Status why);
  Statement(Statement&&) = default;
  Statement& operator=(Statement&&) = default;

  // Bind and column indexes both start at 0.
  Statement& Bind(int index, int64_t value);
  Statement& Bind(int index, double value);
  Statement& Bind(int index, std::string_view text);
  Statement& BindBlob(int index, const void* data, size_t size);
  Statement& BindNull(int index);

  // True while there is a row. Errors end the rows; status() tells them apart.
  bool Step();
  // Steps to the end, for statements that return nothing; then resets.
  Status Run();
  void Reset();
  const Status& status() const { return status_; }

  int columns() const;
  std::string_view ColumnName(int index) const;
  bool IsNull(int index) const;
  bool IsInteger(int index) const;
  bool IsReal(int index) const;
  int64_t Int(int index) const;
  double Real(int index) const;
  // Valid until the next Step, Reset or destruction. Empty for NULL.
  std::string_view Text(int index) const;
  std::string_view Blob(int index) const;

  sqlite3_stmt* raw() const { return stmt_.get(); }

 private:
  friend class Database;
  struct Finalizer {
    void operator()(sqlite3_stmt* stmt) const;
  };
  std::unique_ptr<sqlite3_stmt, Finalizer> stmt_;
  Status status_;
  Status unprepared_;  // why there is no stmt_
};

class Database {
 public:
  enum class Mode { kReadOnly, kReadWrite, kCreate };

  Database() = default;
  Database(Database&&) = default;
  Database& operator=(Database&&) = default;

  static Expected<Database> Open(const std::string& path, Mode mode);
  static Expected<Database> OpenMemory() {
    return Open(":memory:", Mode::kCreate);
  }

  bool is_open() const { return db_ != nullptr; }
  // Runs one or more statements that return no rows.
  Status Execute(std::string_view sql);
  // `rest`, where given, is what follows the first statement.
  Expected<Statement> Prepare(std::string_view sql,
                              std::string_view* rest = nullptr);
  // The first column of the first row; 0 where there is no row.
  Expected<int64_t> QueryInt(std::string_view sql);
  int64_t LastInsertId() const;
  std::string LastError() const;
  const std::string& path() const { return path_; }
  sqlite3* raw() const { return db_.get(); }

 private:
  struct Closer {
    void operator()(sqlite3* db) const;
  };
  std::unique_ptr<sqlite3, Closer> db_;
  std::string path_;
};

}  // namespace inquest
