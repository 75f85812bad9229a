// SPDX-License-Identifier: Apache-2.0
// How many rows of each table a trace keeps, so that a run of weeks stays
// bounded: tables with a row per call, sample or step have a limit, which is
// lower if the disk budget is small. Memory events are folded instead (fold.h),
// successful cuDNN calls are a window of their own (trace_cudnn_rows.cc).
//
// Used by TraceWriter: it reports what it has inserted, and Trim, called once
// per batch and in its transaction, checks the tables that have grown by a
// quarter of their limit since the last check. So a table never exceeds 1.25
// times its limit by more than one batch.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string_view>

#include "base/database.h"
#include "base/status.h"
#include "trace/records/records.h"

namespace inquest::trace {

class Retention {
 public:
  // Called with how many rows of a table were deleted, and by which rule.
  using Lose = std::function<void(std::string_view table, int64_t rows,
                                  std::string_view rule)>;

  explicit Retention(uint64_t disk_bytes);
  void Entered(RecordKind kind) { ++entered_[Slot(kind)]; }
  Status Trim(Database* db, const Lose& lose);
  // How many rows of this size a budget allows, at most `most`.
  static int64_t RowsWithin(uint64_t disk_bytes, int64_t most, int64_t bytes);

 private:
  static constexpr size_t kKinds = 64;
  static size_t Slot(RecordKind kind) {
    return static_cast<size_t>(kind) % kKinds;
  }

  uint64_t disk_bytes_;
  std::array<int64_t, kKinds> entered_;
};

}  // namespace inquest::trace
