// SPDX-License-Identifier: Apache-2.0
// What changed between two runs: versions, environment, devices, memory, sites,
// engines, steps. Reads only the facts of both; called by `inquest diff`. A
// value that differs under the same name is a difference, and so is one that
// only one run has. Sizes and times that are nearly equal count as equal.
//
// Sites are matched by functions and then by lines (match_sites.h). If the runs
// have different numbers of steps, what grows with the steps is compared at the
// smaller one. Variables that the recording itself sets are not differences.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/facts/store/store.h"

namespace inquest::comparison {

enum class Unit { kText, kCount, kBytes, kNanoseconds };

struct Value {
  std::string text;  // of kText
  int64_t number = 0;
};

struct Difference {
  std::string what;
  Unit unit = Unit::kText;
  std::optional<Value> good, bad;  // empty: only the other run has it
  std::string moved_from = {};     // of a site on other lines than in `good`
  // How much more the bad run has; 0 for text.
  int64_t growth() const;
};

struct Section {
  std::string id;     // in JSON: versions, sites, …
  std::string title;  // in text
  // Text by name; numbers by growth, largest first.
  std::vector<Difference> differences;
  int64_t same = 0;
  int64_t moved = 0;  // of these, sites on other lines
  // The steps at which both are compared, where their numbers differ.
  std::optional<int64_t> at_steps;
};

Expected<std::vector<Section>> Compare(facts::Store* good, facts::Store* bad);

}  // namespace inquest::comparison
