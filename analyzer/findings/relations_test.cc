// The ranking against a second, naive implementation of its invariants on
// random graphs, and the order of roots by example.
#include "analyzer/findings/relations.h"

#include <random>
#include <set>

#include "tests/catch_compat.h"

namespace inquest::findings {
namespace {

using rules::Relation;

Finding At(const std::string& cause, int64_t line,
           rules::Role role = rules::Role::kCause) {
  Finding finding;
  finding.rule = "rule." + cause;
  finding.cause = cause;
  finding.role = role;
  Evidence evidence;
  evidence.table = "log_event";
  evidence.source = 1;
  evidence.line = line;
  AddEvidence(&finding, evidence);
  return finding;
}

Relation Says(Relation::Kind kind, const std::string& from,
              const std::string& to, bool any_order = false) {
  Relation relation;
  relation.kind = kind;
  relation.from = {from};
  relation.to = {to};
  relation.any_order = any_order;
  relation.why = "test";
  return relation;
}

TEST_CASE("a cause explains what comes after it, not what came before") {
  const std::vector<Relation> relations = {
      Says(Relation::Kind::kExplains, "kernel/*", "cublas/*")};
  std::vector<Finding> after = {At("kernel/device-assert", 10),
                                At("cublas/failure", 20)};
  CHECK(Rank(&after, relations) == std::vector<size_t>{0});
  CHECK(after[1].standing == Standing::kSymptom);
  std::vector<Finding> before = {At("kernel/device-assert", 20),
                                 At("cublas/failure", 10)};
  CHECK(Rank(&before, relations).size() == 2);
}

TEST_CASE("refining hides the general cause whatever the order") {
  const std::vector<Relation> relations = {
      Says(Relation::Kind::kRefines, "memory/leak", "memory/capacity", true)};
  std::vector<Finding> findings = {At("memory/capacity", 1),
                                   At("memory/leak", 9)};
  CHECK(Rank(&findings, relations) == std::vector<size_t>{1});
}

TEST_CASE("survived and minor findings take part in nothing") {
  std::vector<Finding> findings = {At("memory/capacity", 1),
                                   At("cudnn/bad-param", 2)};
  findings[0].survived = true;
  findings[1].severity = rules::Severity::kWarning;
  CHECK(Rank(&findings, {}).empty());
  CHECK(findings[0].standing == Standing::kNote);
}

TEST_CASE("an ending with no cause is unexplained, and last") {
  std::vector<Finding> findings = {
      At("process/killed", 1, rules::Role::kSymptom),
      At("distributed/collective-timeout", 9)};
  CHECK(Rank(&findings, {}) == std::vector<size_t>{1, 0});
  CHECK(findings[0].standing == Standing::kUnexplained);
}

TEST_CASE("a ring has the first of its findings as root") {
  const std::vector<Relation> relations = {
      Says(Relation::Kind::kExplains, "kernel/a", "kernel/b", true),
      Says(Relation::Kind::kExplains, "kernel/b", "kernel/a", true)};
  std::vector<Finding> findings = {At("kernel/b", 7), At("kernel/a", 3)};
  CHECK(Rank(&findings, relations) == std::vector<size_t>{1});
}

// Follows links by brute force.
bool LeadsToRoot(const std::vector<Finding>& findings, size_t from,
                 std::set<size_t> seen = {}) {
  if (findings[from].standing != Standing::kSymptom) return true;
  if (!seen.insert(from).second) return false;
  for (const Link& link : findings[from].links) {
    if (LeadsToRoot(findings, link.by, seen)) return true;
  }
  return false;
}

// What a naive reading says is allowed: an edge a -> b for `explains`.
bool Explains(const Relation& relation, const Finding& a, const Finding& b) {
  return relation.kind == Relation::Kind::kExplains &&
         Names(relation.from[0], a) && Names(relation.to[0], b) &&
         a.cause != b.cause &&
         (relation.any_order || a.lines.at(1).first <= b.lines.at(1).second);
}

TEST_CASE("invariants hold on random graphs") {
  const std::vector<std::string> causes = {
      "hardware/ecc",    "memory/capacity", "kernel/device-assert",
      "cudnn/bad-param", "cublas/failure",  "distributed/desync",
      "process/killed"};
  for (uint32_t seed = 1; seed <= 500; ++seed) {
    std::mt19937 random(seed);
    std::vector<Relation> relations;
    for (int i = 0; i < 8; ++i) {
      relations.push_back(
          Says(Relation::Kind::kExplains, causes[random() % causes.size()],
               causes[random() % causes.size()], random() % 2 == 0));
    }
    std::vector<Finding> findings;
    const size_t count = 1 + random() % 8;
    for (size_t i = 0; i < count; ++i) {
      findings.push_back(At(causes[random() % causes.size()],
                            static_cast<int64_t>(1 + random() % 50)));
    }
    const std::vector<size_t> roots = Rank(&findings, relations);
    REQUIRE_FALSE(roots.empty());
    for (size_t i = 0; i < count; ++i) {
      REQUIRE(findings[i].standing != Standing::kNote);
      REQUIRE(LeadsToRoot(findings, i));
      for (const Link& link : findings[i].links) {
        if (link.kind != "explains") continue;
        const bool allowed = std::any_of(
            relations.begin(), relations.end(), [&](const Relation& r) {
              return Explains(r, findings[link.by], findings[i]);
            });
        REQUIRE(allowed);
      }
    }
    // Naively: whatever nothing explains must be a root, or stand behind one
    // of its own cause.
    for (size_t i = 0; i < count; ++i) {
      bool explained = false;
      for (size_t a = 0; a < count; ++a) {
        for (const Relation& relation : relations) {
          explained = explained ||
                      (a != i && Explains(relation, findings[a], findings[i]));
        }
      }
      if (explained) continue;
      const bool root = std::count(roots.begin(), roots.end(), i) > 0;
      const bool folded = !findings[i].links.empty() &&
                          findings[i].links[0].kind == "same cause";
      REQUIRE((root || folded));
    }
  }
}

TEST_CASE("equal input in another order gives the same verdict") {
  const std::vector<Relation> relations = {
      Says(Relation::Kind::kExplains, "memory/*", "cudnn/*", true)};
  std::vector<Finding> findings = {
      At("cudnn/not-initialized", 4), At("memory/capacity", 9),
      At("distributed/peer-lost", 2), At("version/driver-too-old", 30)};
  std::mt19937 random(3);
  for (int i = 0; i < 20; ++i) {
    std::shuffle(findings.begin(), findings.end(), random);
    const auto roots = Rank(&findings, relations);
    REQUIRE(findings[roots[0]].cause == "version/driver-too-old");
  }
}

}  // namespace
}  // namespace inquest::findings
