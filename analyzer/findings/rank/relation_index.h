// SPDX-License-Identifier: Apache-2.0
// Which findings a relation may hold between, so that the ranking does not try
// every pair with every relation: a job of a thousand ranks has thousands of
// findings. Leaves out only pairs for which the relation cannot hold. Used by
// the ranking.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "analyzer/findings/finding.h"
#include "analyzer/rules/model/rule_model.h"

namespace inquest::findings {

class RelationIndex {
 public:
  // Indexes `candidates`, some of the findings. Both vectors must outlive this
  // and keep their order; the findings' links and standings may change.
  RelationIndex(const std::vector<Finding>& findings,
                const std::vector<size_t>& candidates,
                const std::vector<rules::Relation>& relations);

  // The relations of the kind that name the finding as their cause, by index
  // and in their order.
  const std::vector<size_t>& From(rules::Relation::Kind kind,
                                  size_t finding) const;
  // Appends the candidates, in no order, for which the relation may hold with
  // the finding as their cause; never the finding itself. Returns its work, as
  // a number of comparisons.
  int64_t Targets(size_t relation, size_t from, std::vector<size_t>* found);

 private:
  // A rule and a cause: findings that agree in both are named by the same
  // relations.
  struct Kind {
    const Finding* example = nullptr;
    std::vector<size_t> all;
    std::map<int64_t, std::vector<size_t>> of_rank;
    std::vector<size_t> of_no_rank;
    std::vector<size_t> from[3];  // relations, by their kind
  };
  using Place = std::tuple<std::string, int64_t, int64_t>;

  static Place PlaceOf(const Evidence& evidence);
  void AddFinding(size_t index);
  void AddRelation(size_t index);
  const std::vector<size_t>& KindsFor(size_t relation, size_t from,
                                      int64_t* work);
  int64_t AddAtSameEvidence(const std::vector<size_t>& kinds, size_t from,
                            std::vector<size_t>* found) const;

  const std::vector<Finding>& findings_;
  const std::vector<rules::Relation>& relations_;
  std::vector<Kind> kinds_;
  std::map<std::pair<std::string, std::string>, size_t> kind_by_name_;
  std::vector<size_t> kind_of_;              // of each finding
  std::vector<std::vector<size_t>> to_;      // kinds, by relation
  std::map<Place, std::vector<size_t>> at_;  // candidates, by their evidence
  // Kinds that a relation leads to, by the relation and the kind of its cause.
  std::map<std::pair<size_t, size_t>, std::vector<size_t>> leads_to_;
};

}  // namespace inquest::findings
