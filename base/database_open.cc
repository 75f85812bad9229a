// SPDX-License-Identifier: Apache-2.0
// Opens connections and watches the deadline of the process; the rest of
// database.h is in database.cc.
#include <sqlite3.h>

#include <atomic>
#include <cstdlib>

#include "base/database.h"
#include "base/text.h"

namespace inquest {
namespace {

constexpr int kOperationsBetweenChecks = 10'000;  // some 100 µs

std::atomic<int64_t> process_deadline{0};  // steady_clock's ticks; 0: none

int AskDeadline(void*) {
  return Database::PastDeadline() ? 1 : 0;
}

// SQLite refuses a link anywhere in the path. Only one in the last place is to
// be refused: many home directories are reached through a link.
std::string WithRealFolder(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string folder =
      slash == path.npos ? "." : path.substr(0, slash + 1);
  char* real = realpath(folder.c_str(), nullptr);
  if (real == nullptr) return path;
  std::string whole = real;
  std::free(real);
  if (whole.back() != '/') whole += '/';
  return whole + path.substr(slash == path.npos ? 0 : slash + 1);
}

bool IsFile(const std::string& path) {
  return !path.empty() && path != ":memory:" && !path.starts_with("file:");
}

}  // namespace

// Fails if SQLite is already initialized, as in a forked child, which has these
// settings from its parent.
void Database::SetUpProcess(std::span<const SystemCall> calls) {
  sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
  sqlite3_initialize();
  sqlite3_vfs* vfs = sqlite3_vfs_find(nullptr);
  if (vfs == nullptr || vfs->iVersion < 3) return;
  for (const SystemCall& call : calls) {
    vfs->xSetSystemCall(vfs, call.name, call.function);
  }
}

void Database::SetDeadline(std::chrono::steady_clock::time_point deadline) {
  process_deadline.store(deadline.time_since_epoch().count());
}

bool Database::PastDeadline() {
  const int64_t deadline = process_deadline.load(std::memory_order_relaxed);
  return deadline != 0 &&
         std::chrono::steady_clock::now().time_since_epoch().count() >=
             deadline;
}

void Database::WatchDeadline() {
  const bool any = process_deadline.load(std::memory_order_relaxed) != 0;
  sqlite3_progress_handler(raw(), any ? kOperationsBetweenChecks : 0,
                           any ? AskDeadline : nullptr, nullptr);
}

std::string Database::ReadOnlyUri(const std::string& path, bool frozen) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string uri = "file:";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (IsAlpha(c) || IsDigit(c) || c == '/' || c == '.' || c == '-' ||
        c == '_') {
      uri += c;
    } else {
      uri += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return uri + (frozen ? "?mode=ro&immutable=1" : "?mode=ro");
}

Expected<Database> Database::Open(const std::string& path, Mode mode) {
  int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI;
  if (mode == Mode::kReadOnly) flags |= SQLITE_OPEN_READONLY;
  if (mode == Mode::kReadWrite) flags |= SQLITE_OPEN_READWRITE;
  if (mode == Mode::kCreate) {
    flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  }
  const bool no_link = mode != Mode::kReadOnly && IsFile(path);
  if (no_link) flags |= SQLITE_OPEN_NOFOLLOW;
  const std::string opened = no_link ? WithRealFolder(path) : path;
  sqlite3* raw = nullptr;
  const int result = sqlite3_open_v2(opened.c_str(), &raw, flags, nullptr);
  Database database;
  database.db_.reset(raw);
  database.path_ = path;
  if (result != SQLITE_OK) {
    const std::string why =
        raw == nullptr ? "out of memory"
        : sqlite3_extended_errcode(raw) == SQLITE_CANTOPEN_SYMLINK
            ? "it is a symbolic link"
            : sqlite3_errmsg(raw);
    return Unreadable("cannot open the database '" + path + "': " + why);
  }
  sqlite3_extended_result_codes(raw, 1);
  sqlite3_busy_timeout(raw, 5000);
  database.WatchDeadline();
  database.DefineVisit();
  return database;
}

}  // namespace inquest
