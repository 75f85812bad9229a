// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/rank/relation_match.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "analyzer/findings/job/pci_address.h"
#include "analyzer/findings/rank/long_past.h"
#include "base/glob.h"

namespace inquest::findings {
namespace {

using rules::Relation;

bool IsById(std::string_view pattern) {
  return pattern.starts_with(rules::kIdMark);
}

bool NamesAny(const std::vector<std::string>& patterns, const Finding& finding,
              bool only_by_id) {
  return std::any_of(
      patterns.begin(), patterns.end(), [&](const std::string& pattern) {
        return (!only_by_id || IsById(pattern)) && Names(pattern, finding);
      });
}

bool SameHost(const Finding& a, const Finding& b) {
  return MayBeOneHost(a.unit.host, b.unit.host);
}

// Processes without a pid come from imports, and several imports may describe
// one process. A pid in a log may be of the machine, of a container or of a
// thread.
bool SameProcess(const Finding& a, const Finding& b) {
  if (!a.unit.process || !b.unit.process) return true;
  if (a.unit.pid.value_or(0) == 0 || b.unit.pid.value_or(0) == 0) return true;
  return a.unit.process == b.unit.process || a.unit.pid == b.unit.pid;
}

bool SameEvent(const Finding& a, const Finding& b) {
  for (const Evidence& x : a.evidence) {
    for (const Evidence& y : b.evidence) {
      if (IsSame(x, y)) return true;
    }
  }
  return false;
}

// The values of a figure, of an address in one spelling.
Figure::List ValuesOf(const Finding& finding, std::string_view figure) {
  Figure::List values = finding.figures[figure].AsList();
  if (figure != "pci") return values;
  for (Figure& value : values) value = PciAddress(value.Text());
  return values;
}

bool DifferInAny(const std::vector<std::string>& same, const Finding& a,
                 const Finding& b) {
  return std::ranges::any_of(
      same, [&](const std::string& name) { return NameDifferent(a, b, name); });
}

bool InScope(Relation::Scope scope, const Finding& a, const Finding& b) {
  switch (scope) {
    case Relation::Scope::kEvent:
      return SameEvent(a, b);
    case Relation::Scope::kProcess:
      return MayBeOne(a.unit.rank, b.unit.rank) && SameHost(a, b) &&
             SameProcess(a, b);
    case Relation::Scope::kDevice:
      return MayBeOne(a.unit.device, b.unit.device) && SameHost(a, b) &&
             !NameDifferent(a, b, "pci");
    case Relation::Scope::kNode:
      return SameHost(a, b);
    case Relation::Scope::kJob:
      return true;
    case Relation::Scope::kElsewhere:
      return !MayBeOne(a.unit.rank, b.unit.rank) || !SameHost(a, b);
  }
  return false;
}

bool WithinWindow(const Relation& relation, const Finding& a,
                  const Finding& b) {
  if (relation.within_ns == 0) {
    return relation.kind != Relation::Kind::kExplains || !IsLongPast(a, b);
  }
  if (!a.first_time || !b.first_time) return true;
  const int64_t apart = std::abs(*b.first_time - *a.first_time);
  return apart - a.time_error - b.time_error <= relation.within_ns;
}

}  // namespace

bool NameDifferent(const Finding& a, const Finding& b,
                   std::string_view figure) {
  if (!a.figures.Contains(figure) || !b.figures.Contains(figure)) return false;
  const Figure::List values = ValuesOf(b, figure);
  return std::ranges::none_of(ValuesOf(a, figure), [&](const Figure& value) {
    return std::ranges::find(values, value) != values.end();
  });
}

Order CompareOrder(const Finding& a, const Finding& b) {
  // One of the two may have lines in the logs of thousands of ranks.
  const auto& few = a.lines.size() <= b.lines.size() ? a.lines : b.lines;
  for (const auto& [source, span] : few) {
    const auto in_a = a.lines.find(source);
    const auto in_b = b.lines.find(source);
    if (in_a == a.lines.end() || in_b == b.lines.end()) continue;
    return in_a->second.first <= in_b->second.second ? Order::kBefore
                                                     : Order::kAfter;
  }
  if (!a.first_time || !b.last_time) return Order::kUnknown;
  const int64_t doubt = a.time_error + b.time_error;
  if (*a.first_time <= *b.last_time) return Order::kBefore;
  return *a.first_time - *b.last_time > doubt ? Order::kAfter : Order::kUnknown;
}

Match MatchRelation(const Relation& relation, const Finding& from,
                    const Finding& to) {
  return IsAbout(relation, from, to) ? MatchPlaces(relation, from, to)
                                     : Match{};
}

Match MatchPlaces(const Relation& relation, const Finding& from,
                  const Finding& to) {
  if (!InScope(relation.scope, from, to)) return {Fit::kOtherScope, {}};
  if (DifferInAny(relation.same, from, to)) return {Fit::kOtherThing, {}};
  if (!WithinWindow(relation, from, to)) return {Fit::kTooLate, {}};
  const Order order = CompareOrder(from, to);
  if (!relation.any_order && order == Order::kAfter) {
    return {Fit::kWrongOrder, order};
  }
  return {Fit::kHolds, order};
}

bool IsAbout(const Relation& relation, const Finding& from, const Finding& to) {
  const bool by_id =
      relation.kind == Relation::Kind::kExplains && from.cause == to.cause;
  return NamesAny(relation.from, from, by_id) &&
         NamesAny(relation.to, to, by_id);
}

bool Names(std::string_view pattern, const Finding& finding) {
  if (IsById(pattern)) {
    return MatchesGlob(pattern.substr(3), finding.rule);
  }
  return MatchesGlob(pattern, finding.cause);
}

}  // namespace inquest::findings
