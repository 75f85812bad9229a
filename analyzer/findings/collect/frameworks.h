// SPDX-License-Identifier: Apache-2.0
// Which frameworks a run was made with, and which one a finding's own lines are
// of. Used by fixes.cc for steps that only one framework's users can take.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/facts/store/store.h"
#include "analyzer/findings/finding.h"

namespace inquest::findings {

class Frameworks {
 public:
  static Expected<Frameworks> Read(facts::Store* store,
                                   const std::vector<Finding>& findings);

  // Whether a step for this framework can be meant. A framework that the lines
  // of the finding's evidence name rules out the others; else one that the run
  // shows, if any. XLA's lines are JAX's or TensorFlow's.
  bool MayBe(const std::string& framework, const Finding& finding) const;

 private:
  using Names = std::set<std::string>;

  Status ReadLines(facts::Store* store, const std::vector<Finding>& findings);
  Names NamedBy(const Finding& finding) const;
  bool IsMeant(const std::string& framework, const Names& shown) const;

  Names seen_;
  // Libraries were recorded: what is not among them was not there.
  bool all_ = false;
  // Of lines of evidence: source and line.
  std::map<std::pair<int64_t, int64_t>, Names> lines_;
};

}  // namespace inquest::findings
