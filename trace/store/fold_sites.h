// SPDX-License-Identifier: Apache-2.0
// Updates the totals of call stacks and of refused requests while the fold goes
// through events: rows of checkpoint_site and checkpoint_refusal, read when
// first needed and written at the end of a step. For fold.cc only.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "base/database.h"
#include "trace/store/ledger.h"

namespace inquest::trace {

class FoldWatcher : public LedgerWatcher {
 public:
  explicit FoldWatcher(Database* db) : db_(db) {}
  Status Begin();
  Status Finish();

  void OnSiteAlloc(int device, int64_t stack, int64_t bytes) override;
  void OnSiteFree(int device, int64_t stack, int64_t bytes) override;
  void OnSiteRestore(int device, int64_t stack, int64_t bytes) override;
  void OnAlloc(const MemoryEvent& event, const DeviceState& state) override;
  void OnRefusal(const MemoryEvent& event, const DeviceState& state) override;

 private:
  struct Site {
    int64_t id = 0;  // 0: not in the table yet
    int64_t order = 0;
    int64_t allocations = 0, frees = 0, failures = 0;
    int64_t allocated_bytes = 0, live_bytes = 0, peak_bytes = 0;
  };
  using Key = std::pair<int64_t, int>;  // stack, device

  Site& Find(int64_t stack, int device);
  Site Read(int64_t stack, int device);
  Status ReadOpen();
  Status WriteSite(const Key& key, const Site& site);
  void Note(const Status& status);

  Database* db_;
  Status failure_;
  Statement read_, write_, refusal_, survive_;
  std::map<Key, Site> sites_;
  int64_t next_order_ = 0;
  int64_t refusals_ = 0;
  // The smallest request of each stack and device among the refusals that are
  // not survived so far.
  std::map<Key, int64_t> min_open_;
};

}  // namespace inquest::trace
