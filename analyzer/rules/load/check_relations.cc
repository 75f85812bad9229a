// SPDX-License-Identifier: Apache-2.0
#include "analyzer/rules/load/check_relations.h"

#include <vector>

#include "analyzer/rules/model/taxonomy.h"
#include "base/glob.h"
#include "base/suggest.h"

namespace inquest::rules {
namespace {

using Names = std::set<std::string>;

Names CausesIn(const RuleSet& set) {
  Names names;
  for (const Cause& cause : Causes()) names.emplace(cause.id);
  for (const Signature& signature : set.signatures) {
    if (!signature.cause.empty()) names.insert(signature.cause);
  }
  for (const Rule& rule : set.rules) names.insert(rule.cause);
  return names;
}

bool MatchesAny(std::string_view glob, const Names& names) {
  const std::string begin(GlobPrefix(glob));
  for (auto at = names.lower_bound(begin);
       at != names.end() && at->starts_with(begin); ++at) {
    if (MatchesGlob(glob, *at)) return true;
  }
  return false;
}

std::string Suggestion(const char* before, const std::string& name,
                       const Names& names) {
  const std::vector<std::string> list(names.begin(), names.end());
  const std::string nearest = Nearest(name, list);
  return nearest.empty() ? "" : "did you mean '" + (before + nearest) + "'?";
}

Complaint UnknownId(const std::string& name, const Names& ids) {
  return {"R050", "no rule or signature has the id '" + name + "'", "",
          Suggestion("id:", name, ids)};
}

class RelationChecker {
 public:
  RelationChecker(const Names& ids, const RuleSet& set, Reporter* reporter)
      : ids_(ids), causes_(CausesIn(set)), reporter_(reporter) {}

  bool Holds(const Relation& relation) {
    bool holds = true;
    for (const auto* ends : {&relation.from, &relation.to}) {
      for (const std::string& end : *ends)
        holds = Check(end, relation) && holds;
    }
    return holds;
  }

 private:
  bool Check(const std::string& end, const Relation& relation) {
    const bool is_id = end.starts_with(kIdMark);
    const std::string name = is_id ? end.substr(kIdMark.size()) : end;
    const Names& names = is_id ? ids_ : causes_;
    if (MatchesAny(name, names)) return true;
    if (is_id) {
      reporter_->Error(relation.place, UnknownId(name, names));
      return false;
    }
    std::string help = Suggestion("", name, names);
    if (help.empty() && MatchesAny(name, ids_)) {
      help = "for the id of a rule or signature write 'id:" + name + "'";
    }
    reporter_->Error(relation.place,
                     {"R050", "there is no cause '" + name + "'", "", help});
    return false;
  }

  const Names& ids_;
  const Names causes_;
  Reporter* reporter_;
};

}  // namespace

void CheckRelations(const Names& ids, RuleSet* set, Reporter* reporter) {
  RelationChecker checker(ids, *set, reporter);
  std::erase_if(set->relations, [&](const Relation& relation) {
    return !checker.Holds(relation);
  });
}

void CheckNeeds(const Names& ids, const RuleSet& set, Reporter* reporter) {
  const auto check = [&](const Rule& rule, std::string_view need) {
    if (!need.starts_with(kIdMark)) return;
    const std::string name(need.substr(kIdMark.size()));
    if (!MatchesAny(name, ids)) {
      reporter->Error(rule.place, UnknownId(name, ids));
    }
  };
  for (const Rule& rule : set.rules) {
    for (const std::string& need : rule.needs) check(rule, need);
    for (const auto& any : rule.needs_any) {
      for (const std::string& need : any) check(rule, need);
    }
  }
}

}  // namespace inquest::rules
