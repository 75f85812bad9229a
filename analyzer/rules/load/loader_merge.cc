// SPDX-License-Identifier: Apache-2.0
#include "analyzer/rules/load/loader_merge.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "analyzer/rules/model/aliases.h"

namespace inquest::rules {
namespace {

// Moves disabled entries from one list to the other, in order.
template <typename T>
void MoveDisabled(std::vector<T>* from, std::vector<T>* to) {
  const auto kept = std::stable_partition(
      from->begin(), from->end(), [](const T& one) { return !one.disabled; });
  std::move(kept, from->end(), std::back_inserter(*to));
  from->erase(kept, from->end());
}

}  // namespace

Merger::Merger(RuleSet* all, LoadBudget* budget, Reporter* reporter)
    : all_(all), budget_(budget), reporter_(reporter) {
  Know(false, &all_->signatures, &all_->disabled_signatures);
  Know(true, &all_->rules, &all_->disabled_rules);
}

// An override may enable again what is disabled.
template <typename T>
void Merger::Know(bool rule, std::vector<T>* list, std::vector<T>* disabled) {
  std::ranges::move(*disabled, std::back_inserter(*list));
  disabled->clear();
  for (size_t i = 0; i < list->size(); ++i) {
    known_[(*list)[i].id] = {rule, i, (*list)[i].place};
  }
}

std::set<std::string> Merger::ids() const {
  std::set<std::string> ids;
  for (const auto& [id, known] : known_) ids.insert(id);
  return ids;
}

void Merger::Add(RuleSet part) {
  for (Signature& signature : part.signatures) {
    Put(std::move(signature), false, &all_->signatures);
  }
  for (Rule& rule : part.rules) Put(std::move(rule), true, &all_->rules);
  for (Relation& relation : part.relations) {
    all_->relations.push_back(std::move(relation));
  }
}

template <typename T>
void Merger::Put(T entry, bool rule, std::vector<T>* list) {
  if (const auto now = all_->aliases.find(entry.id);
      now != all_->aliases.end()) {
    entry.id = now->second;
  }
  const auto known = known_.find(entry.id);
  if (known == known_.end()) {
    known_[entry.id] = {rule, list->size(), entry.place};
    TakeAliases(entry);
    list->push_back(std::move(entry));
    return;
  }
  if (!MayReplace(entry.id, entry.place, rule, known->second)) return;
  known->second.place = entry.place;
  TakeAliases(entry);
  (*list)[known->second.index] = std::move(entry);
}

template <typename T>
void Merger::TakeAliases(const T& entry) {
  for (const std::string& alias : entry.aliases) {
    const auto [taken, is_new] = all_->aliases.emplace(alias, entry.id);
    const bool ours = is_new || taken->second == entry.id;
    if (ours && !known_.contains(alias)) continue;
    reporter_->Error(
        entry.place,
        {"R018", "the alias '" + alias + "' of '" + entry.id + "' is taken",
         ours ? "a rule or signature has it as its id"
              : "it is an alias of '" + taken->second + "' already",
         "an alias must be an id that no other entry had"});
  }
}

bool Merger::MayReplace(const std::string& id, const Place& place, bool rule,
                        const Known& known) {
  const std::string earlier = "it is already at " + known.place.file + ":" +
                              std::to_string(known.place.line) + ":" +
                              std::to_string(known.place.column);
  if (known.rule == rule && known.place.file != place.file) {
    reporter_->Note(
        place, {"R060", "'" + id + "' replaces an earlier one", earlier, ""});
    return true;
  }
  reporter_->Error(place,
                   {"R015", "the id '" + id + "' is used twice", earlier,
                    known.rule != rule ? "signatures and rules share their ids"
                                       : "give one of the two another id"});
  return false;
}

// Its own ids and those that were renamed to them, each entry once.
std::vector<const Merger::Known*> Merger::MeantBy(const Override& change) {
  std::vector<const Known*> meant;
  for (const auto& [id, known] : known_) {
    if (change.Matches(id)) meant.push_back(&known);
  }
  for (const auto& [alias, id] : all_->aliases) {
    const auto known = known_.find(id);
    if (known != known_.end() && change.Matches(alias)) {
      meant.push_back(&known->second);
    }
  }
  std::ranges::sort(meant);
  meant.erase(std::unique(meant.begin(), meant.end()), meant.end());
  return meant;
}

void Merger::Apply(Override change) {
  if (!change.usable()) return;
  const std::vector<const Known*> meant = MeantBy(change);
  if (!budget_->TakeCopies(meant.size(), change.bytes())) {
    LoadBudget::RefuseCopies(change.place(), reporter_);
    return;
  }
  for (const Known* known : meant) {
    if (known->rule) {
      change.Apply(&all_->rules[known->index]);
    } else {
      change.Apply(&all_->signatures[known->index]);
    }
  }
  if (!meant.empty()) return;
  std::vector<std::string> ids;
  for (const auto& [id, known] : known_) ids.push_back(id);
  change.ReportNoMatch(ids);
}

void Merger::Finish() {
  UseIdsOfToday(all_);
  MoveDisabled(&all_->signatures, &all_->disabled_signatures);
  MoveDisabled(&all_->rules, &all_->disabled_rules);
}

}  // namespace inquest::rules
