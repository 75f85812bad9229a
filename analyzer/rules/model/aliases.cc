// SPDX-License-Identifier: Apache-2.0
#include "analyzer/rules/model/aliases.h"

#include <algorithm>

#include "base/glob.h"

namespace inquest::rules {
namespace {

// What of these is called that today.
std::vector<std::string> MeantBy(std::string_view glob,
                                 const Aliases& aliases) {
  const std::string_view begin = GlobPrefix(glob);
  std::vector<std::string> ids;
  for (auto at = aliases.lower_bound(begin);
       at != aliases.end() && at->first.starts_with(begin); ++at) {
    if (MatchesGlob(glob, at->first)) ids.push_back(at->second);
  }
  return ids;
}

bool MatchesCurrent(std::string_view glob, const RuleSet& set) {
  const auto has_id = [&](const auto& one) {
    return MatchesGlob(glob, one.id);
  };
  return std::any_of(set.signatures.begin(), set.signatures.end(), has_id) ||
         std::any_of(set.rules.begin(), set.rules.end(), has_id);
}

// "id:old.*" also means entries with such a former id.
void AddMeant(const RuleSet& set, std::vector<std::string>* ends) {
  std::vector<std::string> meant;
  std::erase_if(*ends, [&](const std::string& end) {
    if (!end.starts_with(kIdMark)) return false;
    const std::string_view glob = std::string_view(end).substr(kIdMark.size());
    const std::vector<std::string> ids = MeantBy(glob, set.aliases);
    for (const std::string& id : ids) {
      if (!MatchesGlob(glob, id)) meant.push_back(std::string(kIdMark) + id);
    }
    return !ids.empty() && !MatchesCurrent(glob, set);
  });
  for (std::string& end : meant) {
    const bool known =
        std::find(ends->begin(), ends->end(), end) != ends->end();
    if (!known) ends->push_back(std::move(end));
  }
}

// What a need means is a choice where there are several.
void AddMeantNeeds(const RuleSet& set, Rule* rule) {
  for (auto& any : rule->needs_any) AddMeant(set, &any);
  std::vector<std::string> needs;
  for (const std::string& need : rule->needs) {
    std::vector<std::string> meant = {need};
    AddMeant(set, &meant);
    if (meant.size() == 1) {
      needs.push_back(meant.front());
    } else {
      rule->needs_any.push_back(std::move(meant));
    }
  }
  rule->needs = std::move(needs);
}

// 'old.id' as a whole SQL text becomes 'new.id'.
void ReplaceTexts(const Aliases& aliases, std::string* sql) {
  for (size_t open = sql->find('\''); open != sql->npos;) {
    const size_t close = sql->find('\'', open + 1);
    if (close == sql->npos) return;
    const std::string_view text =
        std::string_view(*sql).substr(open + 1, close - open - 1);
    size_t end = close;
    if (const auto now = aliases.find(text); now != aliases.end()) {
      sql->replace(open + 1, text.size(), now->second);
      end = open + 1 + now->second.size();
    }
    open = sql->find('\'', end + 1);
  }
}

}  // namespace

void UseIdsOfToday(RuleSet* set) {
  if (set->aliases.empty()) return;
  for (Relation& relation : set->relations) {
    AddMeant(*set, &relation.from);
    AddMeant(*set, &relation.to);
  }
  for (Rule& rule : set->rules) {
    AddMeantNeeds(*set, &rule);
    for (std::string* sql : {&rule.sql, &rule.confirm, &rule.refute}) {
      ReplaceTexts(set->aliases, sql);
    }
  }
}

bool MatchesId(std::string_view glob, const std::string& id,
               const std::vector<std::string>& aliases) {
  return MatchesGlob(glob, id) || std::any_of(aliases.begin(), aliases.end(),
                                              [&](const std::string& one) {
                                                return MatchesGlob(glob, one);
                                              });
}

std::string IdOfToday(const Aliases& aliases, const std::string& name) {
  const auto now = aliases.find(name);
  return now == aliases.end() ? name : now->second;
}

}  // namespace inquest::rules
