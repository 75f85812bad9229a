// SPDX-License-Identifier: Apache-2.0
// Compares the ranking with a second implementation, written from the
// description at the top of relations.h without regard for speed: matrices of
// edges and a transitive closure, on random findings and relations of all
// kinds.
#include <algorithm>
#include <random>
#include <set>

#include "analyzer/findings/rank/relation_match.h"
#include "analyzer/findings/rank/relations.h"
#include "analyzer/findings/rank/root_order.h"
#include "analyzer/rules/model/rule_words.h"
#include "tests/catch_compat.h"

namespace inquest::findings {
namespace {

using rules::Relation;
using Edge = std::pair<size_t, std::string>;  // the cause, and how

struct Answer {
  std::vector<size_t> roots;
  std::vector<std::set<Edge>> links;
};

class NaiveRanking {
 public:
  NaiveRanking(const std::vector<Finding>& findings,
               const std::vector<Relation>& relations)
      : findings_(findings), relations_(relations), size_(findings.size()) {
    for (size_t i = 0; i < size_; ++i) {
      const Finding& one = findings[i];
      if (one.severity == rules::Severity::kError && !one.survived &&
          one.role != rules::Role::kNote) {
        order_.push_back(i);
      }
    }
    order_ = InOrder(findings, order_);
    answer_.links.resize(size_);
  }

  Answer Run() {
    std::set<size_t> demoted;
    for (const char* kind : {"refines", "excludes"}) {
      for (const size_t a : order_) {
        for (const size_t b : order_) {
          if (demoted.contains(a) || demoted.contains(b)) continue;
          if (!Holds(kind, a, b)) continue;
          answer_.links[b].insert({a, kind});
          demoted.insert(b);
        }
      }
    }
    for (const size_t a : order_) {
      for (const size_t b : order_) {
        if (demoted.contains(a) || demoted.contains(b)) continue;
        if (Holds("explains", a, b)) answer_.links[b].insert({a, "explains"});
      }
    }
    Roots();
    return answer_;
  }

 private:
  bool Holds(const std::string& kind, size_t a, size_t b) const {
    if (a == b) return false;
    const Finding& x = findings_[a];
    const Finding& y = findings_[b];
    return std::any_of(
        relations_.begin(), relations_.end(), [&](const Relation& r) {
          const bool ids =
              r.from[0].starts_with("id:") && r.to[0].starts_with("id:");
          if (kind == "explains" && x.cause == y.cause && !ids) return false;
          return kind == rules::Word(r.kind) && Names(r.from[0], x) &&
                 Names(r.to[0], y) && InScope(r, x, y) && InTime(r, x, y);
        });
  }

  static bool InScope(const Relation& r, const Finding& x, const Finding& y) {
    const bool host = x.unit.host.empty() || y.unit.host.empty() ||
                      x.unit.host == y.unit.host;
    const bool rank =
        !x.unit.rank || !y.unit.rank || x.unit.rank == y.unit.rank;
    switch (r.scope) {
      case Relation::Scope::kEvent:
        return x.evidence[0].line == y.evidence[0].line &&
               x.evidence[0].source == y.evidence[0].source;
      case Relation::Scope::kProcess:
        return host && rank && SameProcess(x.unit, y.unit);
      case Relation::Scope::kDevice:
      case Relation::Scope::kNode:
        return host;
      case Relation::Scope::kJob:
        return true;
      case Relation::Scope::kElsewhere:
        return !host || !rank;
    }
    return false;
  }

  static bool SameProcess(const Unit& x, const Unit& y) {
    const bool known = x.process && y.process && x.pid && y.pid;
    return !known || x.pid == y.pid || x.process == y.process;
  }

  static bool InTime(const Relation& r, const Finding& x, const Finding& y) {
    const bool clocks = x.first_time && y.first_time;
    if (r.within_ns > 0 && clocks &&
        std::abs(*x.first_time - *y.first_time) - x.time_error - y.time_error >
            r.within_ns) {
      return false;
    }
    if (r.any_order) return true;
    const Evidence& a = x.evidence[0];
    const Evidence& b = y.evidence[0];
    if (a.source == b.source) return a.line <= b.line;
    return !clocks ||
           *x.first_time - *y.last_time <= x.time_error + y.time_error;
  }

  void Roots() {
    // reach[a][b]: a explains b, through any chain.
    std::vector<std::vector<bool>> reach(size_, std::vector<bool>(size_));
    for (size_t b = 0; b < size_; ++b) {
      for (const Edge& edge : answer_.links[b]) reach[edge.first][b] = true;
    }
    for (size_t k = 0; k < size_; ++k) {
      for (size_t a = 0; a < size_; ++a) {
        for (size_t b = 0; b < size_; ++b) {
          if (reach[a][k] && reach[k][b]) reach[a][b] = true;
        }
      }
    }
    std::vector<size_t> roots;
    const auto covered = [&](size_t i) {
      return std::any_of(roots.begin(), roots.end(), [&](size_t root) {
        return root == i || reach[root][i];
      });
    };
    for (const size_t i : order_) {
      if (answer_.links[i].empty()) roots.push_back(i);
    }
    for (const size_t i : order_) {
      const auto& links = answer_.links[i];
      const bool demoted =
          !links.empty() && links.begin()->second != "explains";
      const bool is_below =
          std::any_of(order_.begin(), order_.end(),
                      [&](size_t j) { return reach[j][i] && !reach[i][j]; });
      if (demoted || covered(i) || is_below) continue;
      answer_.links[i].clear();
      roots.push_back(i);
    }
    for (const size_t i : InOrder(findings_, roots)) {
      const auto same = std::find_if(
          answer_.roots.begin(), answer_.roots.end(), [&](size_t root) {
            return findings_[root].cause == findings_[i].cause;
          });
      if (same == answer_.roots.end()) {
        answer_.roots.push_back(i);
      } else {
        answer_.links[i].insert({*same, "same cause"});
      }
    }
  }

  const std::vector<Finding>& findings_;
  const std::vector<Relation>& relations_;
  size_t size_;
  std::vector<size_t> order_;
  Answer answer_;
};

class RandomCase {
 public:
  explicit RandomCase(uint32_t seed) : random_(seed) {
    for (size_t i = Below(9); i > 0; --i) findings.push_back(AFinding());
    for (size_t i = Below(16); i > 0; --i) relations.push_back(ARelation());
  }
  std::vector<Finding> findings;
  std::vector<Relation> relations;

 private:
  size_t Below(size_t n) { return random_() % n; }

  std::string ACause() {
    static const std::vector<std::string> causes = {
        "hardware/ecc",   "memory/capacity",    "kernel/device-assert",
        "cublas/failure", "distributed/desync", "process/killed"};
    return causes[Below(causes.size())];
  }

  Finding AFinding() {
    Finding finding;
    finding.cause = ACause();
    finding.rule = "rule." + std::to_string(Below(6));
    if (Below(4) == 0) finding.role = rules::Role::kSymptom;
    if (Below(9) == 0) finding.severity = rules::Severity::kWarning;
    finding.survived = Below(9) == 0;
    finding.confidence = static_cast<rules::Confidence>(Below(3));
    finding.count = static_cast<int64_t>(1 + Below(3));
    if (Below(2) == 0) finding.unit.rank = static_cast<int64_t>(Below(3));
    if (Below(3) == 0) finding.unit.host = Below(2) == 0 ? "a" : "b";
    if (Below(2) == 0) finding.unit.process = static_cast<int64_t>(Below(3));
    if (Below(2) == 0) finding.unit.pid = 100 + static_cast<int64_t>(Below(3));
    Evidence evidence;
    evidence.table = "log_event";
    evidence.source = static_cast<int64_t>(1 + Below(3));
    evidence.line = static_cast<int64_t>(1 + Below(12));
    if (Below(2) == 0) evidence.time = static_cast<int64_t>(Below(40));
    evidence.time_error = static_cast<int64_t>(Below(5));
    AddEvidence(&finding, evidence);
    return finding;
  }

  Relation ARelation() {
    Relation relation;
    relation.kind = static_cast<Relation::Kind>(Below(5) / 2);
    relation.scope = static_cast<Relation::Scope>(Below(5));
    relation.from = {AnEnd()};
    relation.to = {AnEnd()};
    relation.any_order = Below(3) == 0;
    if (Below(3) == 0) relation.within_ns = static_cast<int64_t>(1 + Below(20));
    relation.why = "test";
    return relation;
  }

  std::string AnEnd() {
    if (Below(3) == 0) return "id:rule." + std::to_string(Below(6));
    const std::string cause = ACause();
    return Below(4) == 0 ? cause.substr(0, cause.find('/')) + "/*" : cause;
  }

  std::mt19937 random_;
};

// Follows links by brute force.
bool LeadsToRoot(const std::vector<Finding>& findings, size_t from,
                 std::set<size_t> seen = {}) {
  if (findings[from].standing != Standing::kSymptom) return true;
  if (!seen.insert(from).second) return false;
  return std::any_of(
      findings[from].links.begin(), findings[from].links.end(),
      [&](const Link& link) { return LeadsToRoot(findings, link.by, seen); });
}

}  // namespace

TEST_CASE("the ranking agrees with the naive one") {
  for (uint32_t seed = 1; seed <= 5000; ++seed) {
    RandomCase one(seed);
    CAPTURE(seed);
    const Answer expected = NaiveRanking(one.findings, one.relations).Run();
    const auto roots = Rank(&one.findings, one.relations);
    REQUIRE(roots == expected.roots);
    for (size_t i = 0; i < one.findings.size(); ++i) {
      std::set<Edge> links;
      for (const Link& link : one.findings[i].links) {
        links.insert({link.by, std::string(link.kind)});
      }
      REQUIRE(links == expected.links[i]);
    }
  }
}

TEST_CASE("the invariants hold") {
  for (uint32_t seed = 5001; seed <= 7000; ++seed) {
    RandomCase one(seed);
    CAPTURE(seed);
    const auto roots = Rank(&one.findings, one.relations);
    bool candidates = false;
    for (size_t i = 0; i < one.findings.size(); ++i) {
      const Finding& finding = one.findings[i];
      if (finding.standing == Standing::kNote) continue;
      candidates = true;
      REQUIRE(LeadsToRoot(one.findings, i));
      REQUIRE((finding.standing == Standing::kSymptom) ==
              !finding.links.empty());
    }
    REQUIRE(candidates != roots.empty());
  }
}

}  // namespace inquest::findings
