// SPDX-License-Identifier: Apache-2.0
// Reads a heap by SQL and writes it as the page wants it. Internal to page/.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analyzer/report/page/heap_cells.h"
#include "analyzer/report/page/page_data.h"

namespace inquest::report {

// Operations that a dump names beside its chunks take the place of sites, with
// numbers below 0.
class Operations {
 public:
  int64_t Number(const std::string& name);
  const nlohmann::json& names() const { return names_; }

 private:
  std::map<std::string, int64_t> numbers_;
  nlohmann::json names_ = nlohmann::json::array();
};

struct HeapOfPage {
  std::vector<HeapCell> cells;
  Operations ops;
};

// The SQL selects address, bytes, state, site, age and op in the order of
// addresses. A free piece longer than `largest_free` has no memory behind it;
// those that begin at a `named` address are never joined with others. Empty if
// the addresses are made up.
Expected<HeapOfPage> ReadHeap(const PageSource& source, const std::string& sql,
                              std::optional<int64_t> largest_free,
                              const std::set<uint64_t>& named);

// Adds a heap with its cells to a list, unless nothing of it can be drawn.
void AddHeap(const HeapOfPage& read, nlohmann::json heap,
             nlohmann::json* heaps);

}  // namespace inquest::report
