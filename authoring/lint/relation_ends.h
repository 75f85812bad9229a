// SPDX-License-Identifier: Apache-2.0
// The ends of relations: the entries that can be findings, and which of them a
// relation's `from` and `to` name. Shared by the checks of relations.
#pragma once

#include <string>
#include <vector>

#include "analyzer/rules/model/rule_model.h"

namespace inquest::authoring {

// A rule or signature that can become a finding which takes part in ranking.
struct Node {
  std::string id;
  std::string cause;
};

std::vector<Node> NodesOf(const rules::RuleSet& set);

// For each node, whether one of the names (causes or id:…, with '*') matches.
std::vector<bool> Named(const std::vector<Node>& nodes,
                        const std::vector<std::string>& names);

}  // namespace inquest::authoring
