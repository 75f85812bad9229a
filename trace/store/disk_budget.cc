// SPDX-License-Identifier: Apache-2.0
#include "trace/store/disk_budget.h"

#include <sys/stat.h>

#include <algorithm>

namespace inquest::trace {

// A sixteenth of the budget, at most SQLite's usual thousand pages.
uint64_t DiskBudget::LogPages() const {
  return std::clamp<uint64_t>(most_ / 16 / kPage, 8, 1000);
}

Status DiskBudget::SetUp(Database* db) {
  log_path_ = db->path() + "-wal";
  // What a batch and a fold add before the log can be emptied.
  longest_ = 8 * LogPages() * kPage;
  RETURN_IF_ERROR(
      db->Execute("PRAGMA wal_autocheckpoint=" + std::to_string(LogPages())));
  return db->Execute("PRAGMA journal_size_limit=" +
                     std::to_string(LogPages() * kPage));
}

Status DiskBudget::Measure(Database* db) {
  ASSIGN_OR_RETURN(const int64_t pages, db->QueryInt("PRAGMA page_count"));
  ASSIGN_OR_RETURN(const int64_t unused, db->QueryInt("PRAGMA freelist_count"));
  used_ = static_cast<uint64_t>(pages - unused) * kPage;
  struct stat info {};
  const bool there = stat(log_path_.c_str(), &info) == 0;
  log_ = there ? static_cast<uint64_t>(info.st_size) : 0;
  return Status::Ok();
}

}  // namespace inquest::trace
