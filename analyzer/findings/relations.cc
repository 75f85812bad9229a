#include "analyzer/findings/relations.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "analyzer/base/glob.h"

namespace inquest::findings {
namespace {

using rules::Relation;

enum class Order : uint8_t { kBefore, kAfter, kUnknown };

bool NamesAny(const std::vector<std::string>& patterns,
              const Finding& finding) {
  return std::any_of(
      patterns.begin(), patterns.end(),
      [&](const std::string& pattern) { return Names(pattern, finding); });
}

template <typename T>
bool Compatible(const std::optional<T>& a, const std::optional<T>& b) {
  return !a || !b || *a == *b;
}

bool SameHost(const Finding& a, const Finding& b) {
  return a.unit.host.empty() || b.unit.host.empty() ||
         a.unit.host == b.unit.host;
}

bool SameEvent(const Finding& a, const Finding& b) {
  for (const Evidence& x : a.evidence) {
    for (const Evidence& y : b.evidence) {
      if (x.line > 0 && x.source == y.source && x.line == y.line) return true;
      if (x.line == 0 && y.line == 0 && x.row == y.row && x.table == y.table) {
        return true;
      }
    }
  }
  return false;
}

bool InScope(Relation::Scope scope, const Finding& a, const Finding& b) {
  switch (scope) {
    case Relation::Scope::kEvent:
      return SameEvent(a, b);
    case Relation::Scope::kProcess:
      return Compatible(a.unit.rank, b.unit.rank) && SameHost(a, b);
    case Relation::Scope::kDevice:
      return Compatible(a.unit.device, b.unit.device) && SameHost(a, b);
    case Relation::Scope::kNode:
      return SameHost(a, b);
    case Relation::Scope::kJob:
      return true;
  }
  return false;
}

// Does `a` begin no later than `b` ends? By a log that both have lines in, or
// by the clock where the error leaves no doubt.
Order Compare(const Finding& a, const Finding& b) {
  for (const auto& [source, span] : a.lines) {
    const auto other = b.lines.find(source);
    if (other == b.lines.end()) continue;
    return span.first <= other->second.second ? Order::kBefore : Order::kAfter;
  }
  if (!a.first_time || !b.last_time) return Order::kUnknown;
  const int64_t doubt = a.time_error + b.time_error;
  if (*a.first_time <= *b.last_time) return Order::kBefore;
  return *a.first_time - *b.last_time > doubt ? Order::kAfter : Order::kUnknown;
}

bool WithinWindow(const Relation& relation, const Finding& a,
                  const Finding& b) {
  if (relation.within_ns == 0 || !a.first_time || !b.first_time) return true;
  const int64_t apart = std::abs(*b.first_time - *a.first_time);
  return apart - a.time_error - b.time_error <= relation.within_ns;
}

bool IsCandidate(const Finding& finding) {
  return finding.severity == rules::Severity::kError && !finding.survived &&
         finding.role != rules::Role::kNote;
}

// The total order of rule 7.
bool ComesFirst(const Finding& a, const Finding& b) {
  const bool ending_a = a.role == rules::Role::kSymptom;
  const bool ending_b = b.role == rules::Role::kSymptom;
  if (ending_a != ending_b) return ending_b;
  const int layer_a = Layer(a.cause);
  const int layer_b = Layer(b.cause);
  if (layer_a != layer_b) return layer_a < layer_b;
  const Order ab = Compare(a, b);
  const Order ba = Compare(b, a);
  if (ab != ba && ab != Order::kUnknown && ba != Order::kUnknown) {
    return ab == Order::kBefore;
  }
  if (!a.lines.empty() && !b.lines.empty() &&
      a.lines.begin()->first == b.lines.begin()->first &&
      a.lines.begin()->second.first != b.lines.begin()->second.first) {
    return a.lines.begin()->second.first < b.lines.begin()->second.first;
  }
  if (a.confidence != b.confidence) return a.confidence > b.confidence;
  if (a.count != b.count) return a.count > b.count;
  return a.rule < b.rule;
}

// One run of the ranking over the candidates of one diagnosis.
class Ranking {
 public:
  Ranking(std::vector<Finding>* findings,
          const std::vector<Relation>& relations)
      : findings_(*findings), relations_(relations) {
    for (size_t i = 0; i < findings_.size(); ++i) {
      findings_[i].standing = Standing::kNote;
      findings_[i].links.clear();
      if (IsCandidate(findings_[i])) candidates_.push_back(i);
    }
    std::sort(candidates_.begin(), candidates_.end(), [&](size_t a, size_t b) {
      return ComesFirst(findings_[a], findings_[b]);
    });
    stepped_back_.resize(findings_.size());
  }

  std::vector<size_t> Run() {
    StepBack(Relation::Kind::kRefines, "refines");
    StepBack(Relation::Kind::kExcludes, "excludes");
    Explain();
    std::vector<size_t> roots = FindRoots();
    FoldEqualCauses(&roots);
    SetStandings(roots);
    return roots;
  }

 private:
  bool Holds(const Relation& relation, size_t a, size_t b, Order* order) const {
    const Finding& from = findings_[a];
    const Finding& to = findings_[b];
    if (a == b || !NamesAny(relation.from, from) ||
        !NamesAny(relation.to, to)) {
      return false;
    }
    if (!InScope(relation.scope, from, to)) return false;
    if (!WithinWindow(relation, from, to)) return false;
    *order = Compare(from, to);
    return relation.any_order || *order != Order::kAfter;
  }

  // Rules 2 and 3. Of two that would each put the other back, the first in the
  // order stays.
  void StepBack(Relation::Kind kind, const char* name) {
    for (const size_t a : candidates_) {
      if (stepped_back_[a]) continue;
      for (const size_t b : candidates_) {
        if (stepped_back_[b]) continue;
        for (const Relation& relation : relations_) {
          Order order = Order::kUnknown;
          if (relation.kind != kind || !Holds(relation, a, b, &order)) continue;
          findings_[b].links.push_back(
              {a, name, relation.why, order != Order::kUnknown});
          stepped_back_[b] = true;
          break;
        }
      }
    }
  }

  // Rule 4. Equal causes are left to rule 6.
  void Explain() {
    for (const size_t a : candidates_) {
      if (stepped_back_[a]) continue;
      for (const size_t b : candidates_) {
        if (stepped_back_[b] || findings_[a].cause == findings_[b].cause) {
          continue;
        }
        for (const Relation& relation : relations_) {
          Order order = Order::kUnknown;
          if (relation.kind != Relation::Kind::kExplains ||
              !Holds(relation, a, b, &order)) {
            continue;
          }
          findings_[b].links.push_back(
              {a, "explains", relation.why,
               relation.any_order || order != Order::kUnknown});
          break;
        }
      }
    }
  }

  void Reach(size_t from, std::vector<bool>* reached) const {
    std::vector<size_t> open{from};
    while (!open.empty()) {
      const size_t a = open.back();
      open.pop_back();
      if ((*reached)[a]) continue;
      (*reached)[a] = true;
      for (const size_t b : candidates_) {
        for (const Link& link : findings_[b].links) {
          if (link.by == a) open.push_back(b);
        }
      }
    }
  }

  // Rule 5: candidates come in the order of rule 7, so the first of a ring
  // that no root reaches becomes its root; its own links are taken back.
  std::vector<size_t> FindRoots() {
    std::vector<size_t> roots;
    std::vector<bool> reached(findings_.size());
    for (const size_t i : candidates_) {
      if (!findings_[i].links.empty()) continue;
      roots.push_back(i);
      Reach(i, &reached);
    }
    for (const size_t i : candidates_) {
      if (reached[i] || stepped_back_[i]) continue;
      findings_[i].links.clear();
      roots.push_back(i);
      Reach(i, &reached);
    }
    std::sort(roots.begin(), roots.end(), [&](size_t a, size_t b) {
      return ComesFirst(findings_[a], findings_[b]);
    });
    return roots;
  }

  // Rule 6.
  void FoldEqualCauses(std::vector<size_t>* roots) {
    std::vector<size_t> kept;
    for (const size_t i : *roots) {
      const auto same = std::find_if(kept.begin(), kept.end(), [&](size_t k) {
        return findings_[k].cause == findings_[i].cause;
      });
      if (same == kept.end()) {
        kept.push_back(i);
      } else {
        findings_[i].links.push_back(
            {*same, "same cause", "both name the same cause", true});
      }
    }
    *roots = kept;
  }

  void SetStandings(const std::vector<size_t>& roots) {
    for (const size_t i : candidates_) {
      findings_[i].standing = Standing::kSymptom;
    }
    for (size_t n = 0; n < roots.size(); ++n) {
      Finding& finding = findings_[roots[n]];
      const bool ending = finding.role == rules::Role::kSymptom;
      finding.standing = ending   ? Standing::kUnexplained
                         : n == 0 ? Standing::kRoot
                                  : Standing::kContributing;
    }
  }

  std::vector<Finding>& findings_;
  const std::vector<Relation>& relations_;
  std::vector<size_t> candidates_;
  std::vector<bool> stepped_back_;
};

}  // namespace

bool Names(std::string_view pattern, const Finding& finding) {
  if (pattern.substr(0, 3) == "id:") {
    return MatchesGlob(pattern.substr(3), finding.rule);
  }
  return MatchesGlob(pattern, finding.cause);
}

int Layer(std::string_view cause) {
  struct Entry {
    std::string_view pattern;
    int layer;
  };
  static constexpr std::array<Entry, 17> kLayers = {{
      {"hardware/*", 0},
      {"memory/host", 0},
      {"version/*", 1},
      {"device/*", 1},
      {"memory/*", 2},
      {"kernel/*", 2},
      {"process/fork-after-init", 2},
      {"data/*", 2},
      {"cudnn/*", 3},
      {"cublas/*", 3},
      {"process/preempted", 3},
      {"distributed/nccl-system", 4},
      {"distributed/peer-lost", 6},
      {"distributed/*", 5},
      {"process/segfault", 7},
      {"process/*", 8},
      {"*", 9},
  }};
  for (const Entry& entry : kLayers) {
    if (MatchesGlob(entry.pattern, cause)) return entry.layer;
  }
  return 9;
}

std::vector<size_t> Rank(std::vector<Finding>* findings,
                         const std::vector<Relation>& relations) {
  return Ranking(findings, relations).Run();
}

}  // namespace inquest::findings
