// SPDX-License-Identifier: Apache-2.0
// SQLite: a connection and a statement, each closing itself. Used by the
// collector (with its own static copy of the library) and by the analyzer.
// Neither class is thread-safe: one thread each.
//
// Values go in and come out by their order, so no column number is written:
//
//   insert.Run(id, name, std::optional<int64_t>{});  // NULL
//   while (rows.Next(&id, &name, &rank)) …  // NULL: an empty optional
//
// A value is an integer, bool, enum, double, text, Blob, nullptr (NULL) or an
// optional of these. What is read from NULL is 0, "" or an empty optional.
// base/rows.h does the same for structs.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/status.h"

struct sqlite3;
struct sqlite3_stmt;

namespace inquest {

// Bytes rather than text. When read, valid until the next Step.
struct Blob {
  std::string_view bytes;
};

// Rows of integers, one after the other, for a statement that reads them as the
// table inquest_rows(?) with the columns c0, c1, …: a batch is inserted by one
// statement and without binding each value (Database::DefineRows).
struct IntegerRows {
  std::span<const int64_t> cells;
  size_t columns = 0;  // of a row, at most Database::kMaxInserted
};

class Statement {
 public:
  Statement() = default;
  // A statement that could not be prepared: it has no rows and always fails
  // with this status.
  static Statement Unprepared(Status why);
  Statement(Statement&&) = default;
  Statement& operator=(Statement&&) = default;

  // Binds the values to the parameters, starting with the first.
  template <class... Values>
  Statement& BindAll(const Values&... values) {
    int index = 0;
    BindFrom(&index, values...);
    return *this;
  }
  // The same from the parameter *index on, which it moves behind the last.
  template <class... Values>
  void BindFrom(int* index, const Values&... values) {
    (BindColumn((*index)++, values), ...);
  }
  // Binds all, then steps to the end and resets: for statements without rows.
  template <class... Values>
  Status Run(const Values&... values) {
    BindAll(values...);
    return RunBound();
  }
  // Reads the columns of the current row, starting with the first.
  template <class... Columns>
  void Read(Columns*... columns) const {
    int index = 0;
    (ReadColumn(index++, columns), ...);
  }
  // Steps and reads; false after the last row and on errors (see status()).
  template <class... Columns>
  bool Next(Columns*... columns) {
    if (!Step()) return false;
    Read(columns...);
    return true;
  }

  // One by one, by number from 0.
  template <class T>
  void BindColumn(int index, const T& value) {
    if constexpr (std::is_same_v<T, std::nullptr_t>) {
      BindNull(index);
    } else if constexpr (std::is_same_v<T, inquest::Blob>) {
      BindBlob(index, value.bytes.data(), value.bytes.size());
    } else if constexpr (std::is_same_v<T, IntegerRows>) {
      BindRows(index, value);
    } else if constexpr (std::is_floating_point_v<T>) {
      Bind(index, static_cast<double>(value));
    } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
      Bind(index, static_cast<int64_t>(value));
    } else {
      Bind(index, std::string_view(value));
    }
  }
  template <class T>
  void BindColumn(int index, const std::optional<T>& value) {
    value ? BindColumn(index, *value) : BindColumn(index, nullptr);
  }

  template <class T>
  void ReadColumn(int index, T* value) const {
    if constexpr (std::is_same_v<T, inquest::Blob>) {
      value->bytes = Blob(index);
    } else if constexpr (std::is_same_v<T, bool>) {
      *value = Int(index) != 0;
    } else if constexpr (std::is_floating_point_v<T>) {
      *value = static_cast<T>(Real(index));
    } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
      *value = static_cast<T>(Int(index));
    } else {
      *value = T(Text(index));
    }
  }
  // Not inlined: gcc 12 would warn that the value may be uninitialized.
  template <class T>
  [[gnu::noinline]] void ReadColumn(int index, std::optional<T>* value) const {
    value->reset();
    if (!IsNull(index)) ReadColumn(index, &value->emplace());
  }
  Statement& Bind(int index, int64_t value);
  Statement& Bind(int index, double value);
  Statement& Bind(int index, std::string_view text);
  Statement& BindBlob(int index, const void* data, size_t size);
  Statement& BindNull(int index);
  // The rows must outlive the steps of this statement.
  Statement& BindRows(int index, const IntegerRows& rows);

  // True while there is a row. An error ends the rows, too; then status() is
  // not ok.
  bool Step();
  void Reset();
  const Status& status() const { return status_; }

  // False for Statement() and for one prepared from an empty text.
  bool is_prepared() const { return stmt_ != nullptr; }
  bool IsReadOnly() const;
  int parameters() const;
  // Without the colon; "" if it has no name.
  std::string_view ParameterName(int index) const;
  int columns() const;
  std::string_view ColumnName(int index) const;
  bool IsNull(int index) const;
  bool IsInteger(int index) const;
  bool IsReal(int index) const;
  bool IsText(int index) const;
  int64_t Int(int index) const;
  double Real(int index) const;
  // Valid until the next Step, Reset or destruction. Empty for NULL.
  std::string_view Text(int index) const;
  std::string_view Blob(int index) const;
  // Of a text or blob; 0 for a number.
  int64_t ByteSize(int index) const;

 private:
  friend class Database;
  struct Finalizer {
    void operator()(sqlite3_stmt* stmt) const;
  };

  Status RunBound();

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

  // One of the system calls by which SQLite reaches files, and what replaces
  // it; names and types are those of sqlite.org/c3ref/vfs.html's unix VFS.
  struct SystemCall {
    const char* name;
    void (*function)();
  };
  // Once in a process, before the first Open: turns off SQLite's own locks and
  // replaces these calls.
  static void SetUpProcess(std::span<const SystemCall> calls);
  // For the whole process, before any Open: statements that still run then are
  // interrupted and fail with kIncomplete. Only the analyzer sets it.
  static void SetDeadline(std::chrono::steady_clock::time_point deadline);
  static bool PastDeadline();
  // A file that is written to is never opened through a symbolic link in the
  // last place of its path.
  static Expected<Database> Open(const std::string& path, Mode mode);
  // The path for Open or ATTACH to read it. `frozen`: nothing writes it; then
  // SQLite makes no file beside it and takes no locks.
  static std::string ReadOnlyUri(const std::string& path, bool frozen);
  static Expected<Database> OpenMemory() {
    return Open(":memory:", Mode::kCreate);
  }

  bool is_open() const { return db_ != nullptr; }
  // Runs one or more statements that return no rows.
  Status Execute(std::string_view sql);
  // `rest`, if given, receives what follows the first statement.
  Expected<Statement> Prepare(std::string_view sql,
                              std::string_view* rest = nullptr);
  // The first column of all rows.
  Expected<std::vector<std::string>> QueryTexts(std::string_view sql);
  // The first column of the first row; 0 if there is no row.
  Expected<int64_t> QueryInt(std::string_view sql);
  // Calls `visit` with these columns of the rows whose `id` is greater than
  // `after`, by id, until it returns false. For tables of millions of rows: a
  // third quicker than Statement::Next, since SQLite calls and does not return
  // for each row. NULL is 0. `id` must be the table's key or in an index that
  // brings the rows in that order; then `visit` may use the connection, too.
  using Visit = std::function<bool(std::span<const int64_t> row)>;
  Status VisitRows(std::string_view table, std::string_view columns,
                   int64_t after, const Visit& visit);
  // Fills the main database, which is empty, with a copy of a database file's
  // bytes.
  Status CopyImage(std::string_view image);
  // The same bytes as one more schema, which cannot be written; they must
  // outlive the connection.
  Status AttachImage(const std::string& schema, std::string_view image);
  // Makes the table inquest_rows known to this connection.
  Status DefineRows();
  int64_t LastInsertId() const;
  std::string LastError() const;
  const std::string& path() const { return path_; }
  sqlite3* raw() const { return db_.get(); }  // for database_hooks.h
  // Interrupts at the deadline, if one is set; Open does it.
  void WatchDeadline();
  static constexpr size_t kMaxVisited = 16;   // columns
  static constexpr size_t kMaxInserted = 16;  // columns

 private:
  // Makes the function of VisitRows known; Open does it.
  void DefineVisit();
  struct Closer {
    void operator()(sqlite3* db) const;
  };
  std::unique_ptr<sqlite3, Closer> db_;
  std::string path_;
};

}  // namespace inquest
