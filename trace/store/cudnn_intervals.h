// SPDX-License-Identifier: Apache-2.0
// Makes the rows of cudnn_interval (schema.sql): consecutive cuDNN calls on one
// operation with the same choice, that is the same algorithm or engine with the
// same knobs and the same workspace. Another choice begins a new interval, so a
// layer that fell back to an algorithm with less memory shows as two rows in
// time.
//
// Used by TraceWriter: it adds calls, stores what has changed with each batch
// and, after a crash or a failed batch, resumes from what is stored. Holds the
// last interval of each operation. Beyond kMaxIntervals no interval is begun:
// the operation's last one is extended instead, or the call is not recorded,
// and both are counted. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/records/records.h"

namespace inquest::trace {

struct CudnnInterval {
  int64_t id = 0;  // in the order of beginning, from 1
  std::string function;
  int64_t operation = 0;
  int64_t algorithm = 0, workspace_bytes = 0;
  int64_t choice = 0;  // cudnn_choice.id, 0 if the collector recorded none
  int64_t first_ns = 0, last_ns = 0;
  int64_t calls = 0, failed = 0;
  int64_t total_ns = 0, min_ns = 0, max_ns = 0;
};

class CudnnIntervals {
 public:
  static constexpr int64_t kMaxIntervals = 20'000;

  void Add(const CudnnRunRecord& record, uint64_t choice = 0);
  // What has begun or grown since the last time, oldest first.
  std::vector<CudnnInterval> TakeChanged();
  // Calls since the last time that are missing or in the wrong interval.
  int64_t TakeMisplaced();
  // Forgets everything; then give it the last stored one of each operation.
  void Reset(int64_t last_id);
  void Resume(CudnnInterval interval);

 private:
  struct Open {
    CudnnInterval interval;
    bool changed = false;
  };
  using Key = std::pair<std::string, int64_t>;

  void Begin(Open* open, const CudnnRunRecord& record, uint64_t choice);

  std::map<Key, Open, std::less<>> last_;
  std::vector<CudnnInterval> closed_;  // changed, and followed by another
  int64_t last_id_ = 0;
  int64_t misplaced_ = 0;
};

}  // namespace inquest::trace
