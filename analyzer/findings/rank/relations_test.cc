// SPDX-License-Identifier: Apache-2.0
// The ranking by example; on random graphs it is in ranking_naive_test.cc.
#include "analyzer/findings/rank/relations.h"

#include <algorithm>
#include <random>

#include "analyzer/findings/rank/root_order.h"
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

TEST_CASE("refining hides the general cause in any order") {
  const std::vector<Relation> relations = {
      Says(Relation::Kind::kRefines, "memory/leak", "memory/capacity", true)};
  std::vector<Finding> findings = {At("memory/capacity", 1),
                                   At("memory/leak", 9)};
  CHECK(Rank(&findings, relations) == std::vector<size_t>{1});
}

TEST_CASE("survived and minor findings do not take part in the ranking") {
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

TEST_CASE("a lost peer is not the root of a ring with a rank's own failure") {
  const std::vector<Relation> relations = {
      Says(Relation::Kind::kExplains, "distributed/peer-lost", "process/*",
           true),
      Says(Relation::Kind::kExplains, "process/*", "distributed/peer-lost",
           true)};
  std::vector<Finding> findings = {At("distributed/peer-lost", 3),
                                   At("process/exception", 7)};
  CHECK(Rank(&findings, relations) == std::vector<size_t>{1});
  CHECK(findings[0].standing == Standing::kSymptom);
  // An ending is nothing that a rank did.
  findings[1].role = rules::Role::kSymptom;
  CHECK(Rank(&findings, relations) == std::vector<size_t>{0});
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

TEST_CASE("a rival's reason for losing is named") {
  Finding leak = At("memory/leak", 4);
  Finding data = At("data/exception", 9);
  CHECK(WhyFirst(leak, data).ground == Ground::kEarlier);
  CHECK(WhyFirst(At("hardware/ecc", 9), leak).ground == Ground::kLayer);
  Finding ending = At("memory/leak", 1, rules::Role::kSymptom);
  CHECK(WhyFirst(leak, ending).ground == Ground::kNamesCause);
  leak.lines.clear();
  data.confidence = rules::Confidence::kConfirmed;
  CHECK(WhyFirst(data, leak).ground == Ground::kConfidence);
  leak.confidence = rules::Confidence::kConfirmed;
  CHECK(WhyFirst(data, leak).ground == Ground::kName);
}

TEST_CASE("contradicting beginnings still have an order") {
  // 0 before 1 by one log, 1 before 2 by another, 2 before 0 by the clock.
  std::vector<Finding> findings(3);
  for (size_t i = 0; i < 3; ++i) {
    findings[i].cause = "memory/capacity";
    findings[i].rule = std::string("rule") + static_cast<char>('a' + i);
  }
  findings[0].lines = {{1, {1, 1}}};
  findings[1].lines = {{1, {2, 2}}, {2, {1, 1}}};
  findings[2].lines = {{2, {2, 2}}};
  findings[2].first_time = findings[2].last_time = 100;
  findings[0].first_time = findings[0].last_time = 200;
  CHECK(InOrder(findings, {2, 1, 0}) == std::vector<size_t>{0, 1, 2});
}

}  // namespace
}  // namespace inquest::findings
