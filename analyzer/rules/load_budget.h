// How much rule text one load takes, all files together, and how many
// definitions come of it: many files, each within the limits of one, would
// otherwise add up. Used by LoadRules. What goes beyond is left out with an
// error (R004); what came before, the built-in pack first, stays.
#pragma once

#include <cstddef>

#include "analyzer/base/diagnostic.h"
#include "analyzer/rules/loader_report.h"
#include "analyzer/rules/model.h"

namespace inquest::rules {

struct LoadLimits {
  size_t bytes = 4u << 20;
  size_t signatures = 2500;
  size_t rules = 5000;
  size_t relations = 2500;
};

class LoadBudget {
 public:
  explicit LoadBudget(const LoadLimits& limits) : limits_(limits) {}

  // Whether the file may still be read.
  bool Admit(const std::string& name, size_t bytes, Diagnostics* diagnostics);
  // Leaves out what is too much. Ids of what was left out may dangle in
  // relations; those are checked afterwards.
  void Trim(RuleSet* set, Reporter* reporter) const;

 private:
  LoadLimits limits_;
  size_t bytes_ = 0;
  bool full_ = false;
};

}  // namespace inquest::rules
