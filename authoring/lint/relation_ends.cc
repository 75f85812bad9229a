// SPDX-License-Identifier: Apache-2.0
#include "authoring/lint/relation_ends.h"

#include <algorithm>

#include "base/glob.h"

namespace inquest::authoring {
namespace {

bool IsNamed(const Node& node, const std::string& name) {
  return name.starts_with(rules::kIdMark)
             ? MatchesGlob(std::string_view(name).substr(rules::kIdMark.size()),
                           node.id)
             : MatchesGlob(name, node.cause);
}

bool IsFinding(rules::Role role) {
  return role == rules::Role::kCause || role == rules::Role::kSymptom;
}

}  // namespace

std::vector<Node> NodesOf(const rules::RuleSet& set) {
  std::vector<Node> nodes;
  for (const auto& signature : set.signatures) {
    if (IsFinding(signature.role)) {
      nodes.push_back({signature.id, signature.cause});
    }
  }
  for (const auto& rule : set.rules) {
    if (IsFinding(rule.role)) nodes.push_back({rule.id, rule.cause});
  }
  return nodes;
}

std::vector<bool> Named(const std::vector<Node>& nodes,
                        const std::vector<std::string>& names) {
  std::vector<bool> named(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    named[i] = std::any_of(
        names.begin(), names.end(),
        [&](const std::string& name) { return IsNamed(nodes[i], name); });
  }
  return named;
}

}  // namespace inquest::authoring
