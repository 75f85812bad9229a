// SPDX-License-Identifier: Apache-2.0
// Which rules fired and which did not in some test, and which causes were
// verdicts. The second counts only if the rule's `needs` were met; a
// signature's samples count as both cases. Filled by the runner, one diagnosis
// after the other.
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "analyzer/findings/finding.h"
#include "analyzer/rules/model/rule_model.h"

namespace inquest::ruletests {

struct Covered {
  std::string id;
  std::string cause;
  bool is_rule = false;  // else a signature
  bool must = false;     // of status stable
  rules::Place place;
  int64_t fired = 0;
  int64_t silent = 0;
  bool both() const { return fired > 0 && silent > 0; }
};

class Coverage {
 public:
  // Of the rules and signatures (those that name a cause) whose files are in
  // `files`; the others are only used.
  Coverage(const rules::RuleSet& rules, const std::set<std::string>& files);

  void Add(const findings::Diagnosis& diagnosis);
  // A test passed that expects this verdict.
  void AddVerdict(const std::string& cause) { ++verdicts_[cause]; }

  const std::vector<Covered>& all() const { return all_; }
  // Of status stable, and without one of the two cases.
  std::vector<Covered> Missing() const;
  // Share with both cases, 0 to 100; 100 if there is nothing to cover.
  double Percent() const;
  int64_t Verdicts(const std::string& cause) const;
  // How many relations there are, and the places of those that changed no
  // finding.
  size_t relations() const { return relations_.size(); }
  std::vector<rules::Place> IdleRelations() const;

 private:
  using PlaceKey = std::tuple<std::string, int, int>;
  static PlaceKey Key(const rules::Place& place);

  std::vector<Covered> all_;
  std::map<std::string, int64_t> verdicts_;
  std::vector<rules::Place> relations_;
  std::set<PlaceKey> moved_;  // relations that moved a finding
};

}  // namespace inquest::ruletests
