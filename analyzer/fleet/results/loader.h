// SPDX-License-Identifier: Apache-2.0
// Stores results, each for itself: one that cannot be read or stored is counted
// and reported, and the rest go on. Storing the same again changes nothing. A
// run that is loaded with another rule pack has a verdict of each; the one
// loaded last counts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/fleet/results/read_result.h"
#include "analyzer/fleet/store/fleet_database.h"

namespace inquest::fleet {

struct Counts {
  int64_t stored = 0;  // new or changed, or the same again
  int64_t known = 0;   // of these, run and rule pack were there before
  int64_t findings = 0;
  int64_t refused = 0;
};

class Loader {
 public:
  explicit Loader(FleetDatabase* db) : db_(db) {}
  // Ends the open transaction without keeping it; see Finish.
  ~Loader();
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  // The error of a result that was refused; the caller goes on.
  Status Add(std::string_view text, const std::string& source,
             const Additions& additions);
  // What the scheduler knows; no result is needed for it.
  Status AddJob(const JobRow& job);
  void Refuse() { ++counts_.refused; }
  // Makes what was added last. An error here is the database's.
  Status Finish();
  const Counts& counts() const { return counts_; }

 private:
  Status Store(const Result& result);
  Status StoreParts(const Result& result);
  Status Begin();

  FleetDatabase* db_;
  Counts counts_;
  int64_t open_ = 0;  // results in the transaction that is open
};

}  // namespace inquest::fleet
