// SPDX-License-Identifier: Apache-2.0
// Checks for relations without effect: an end that no finding has, a finding
// related only to itself, one that another relation already covers.

#include <algorithm>

#include "authoring/lint/lint.h"
#include "authoring/lint/relation_ends.h"

namespace inquest::authoring {
namespace {

using Level = Diagnostic::Level;
using rules::Relation;

bool Any(const std::vector<bool>& set) {
  return std::find(set.begin(), set.end(), true) != set.end();
}

bool IsWithin(const std::vector<bool>& inner, const std::vector<bool>& outer) {
  for (size_t i = 0; i < inner.size(); ++i) {
    if (inner[i] && !outer[i]) return false;
  }
  return true;
}

struct Ends {
  const Relation* relation;
  std::vector<bool> from;
  std::vector<bool> to;
};

// Each name separately, since only one of `from: [a, b]` may be wrong.
bool LintEnds(const LintSubject& subject, const std::vector<Node>& nodes,
              const Relation& relation, Diagnostics* diagnostics) {
  bool fine = true;
  for (const auto* ends : {&relation.from, &relation.to}) {
    for (const std::string& end : *ends) {
      if (Any(Named(nodes, {end}))) continue;
      fine = false;
      diagnostics->push_back(
          Remark(subject, Level::kWarning, relation.place, "R072",
                 "the relation can never hold for '" + end + "'",
                 "no rule and no signature of role cause or symptom reports it",
                 "write a rule that reports it, or remove the name"));
    }
  }
  return fine;
}

void LintScope(const LintSubject& subject, const Ends& ends,
               Diagnostics* diagnostics) {
  const Relation& relation = *ends.relation;
  const auto one = std::count(ends.from.begin(), ends.from.end(), true) == 1;
  if (one && ends.from == ends.to) {
    diagnostics->push_back(Remark(
        subject, Level::kWarning, relation.place, "R073",
        "the relation leads from a finding to itself", "", "name another end"));
  }
  if (relation.scope == Relation::Scope::kEvent && relation.within_ns > 0) {
    diagnostics->push_back(
        Remark(subject, Level::kWarning, relation.place, "R073",
               "'within' has no effect if the scope is one event",
               "one line or row has one time", "remove 'within'"));
  }
}

// A scope covers a narrower one only if it is the whole job, or the other a
// single event; processes and devices overlap.
bool CoversScope(Relation::Scope wide, Relation::Scope narrow) {
  return wide == narrow || wide == Relation::Scope::kJob ||
         narrow == Relation::Scope::kEvent;
}

bool Covers(const Ends& wide, const Ends& narrow) {
  const Relation& a = *wide.relation;
  const Relation& b = *narrow.relation;
  const bool time =
      a.within_ns == 0 || (b.within_ns > 0 && b.within_ns <= a.within_ns);
  const bool same = std::ranges::includes(b.same, a.same);
  return a.kind == b.kind && CoversScope(a.scope, b.scope) && time && same &&
         (a.any_order || !b.any_order) && IsWithin(narrow.from, wide.from) &&
         IsWithin(narrow.to, wide.to);
}

// Every pair is compared, so much larger packs than ours are skipped.
constexpr size_t kMaxCompared = 2000;

// The report quotes the first relation that covers another. Of two that cover
// each other the later one is shadowed.
void LintShadows(const LintSubject& subject, const std::vector<Ends>& all,
                 Diagnostics* diagnostics) {
  if (all.size() > kMaxCompared) {
    diagnostics->push_back(Remark(
        subject, Level::kWarning, {}, "R004",
        std::to_string(all.size()) + " relations are too many to compare",
        "more than " + std::to_string(kMaxCompared), ""));
    return;
  }
  for (size_t i = 0; i < all.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (!Covers(all[j], all[i])) continue;
      const rules::Place& place = all[j].relation->place;
      diagnostics->push_back(Remark(
          subject, Level::kWarning, all[i].relation->place, "R074",
          "the relation is redundant",
          "the relation at " + place.file + ":" + std::to_string(place.line) +
              " always holds when this one does, and comes first",
          "remove one of the two, or move this one before it"));
      break;
    }
  }
}

}  // namespace

void LintRelations(const LintSubject& subject, Diagnostics* diagnostics) {
  const std::vector<Node> nodes = NodesOf(subject.set);
  std::vector<Ends> all;
  for (const Relation& relation : subject.set.relations) {
    if (!LintEnds(subject, nodes, relation, diagnostics)) continue;
    all.push_back(
        {&relation, Named(nodes, relation.from), Named(nodes, relation.to)});
    LintScope(subject, all.back(), diagnostics);
  }
  LintShadows(subject, all, diagnostics);
}

}  // namespace inquest::authoring
