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

Finding AtTime(const std::string& cause, int64_t line, int64_t minutes) {
  Finding finding = At(cause, line);
  finding.first_time = finding.last_time = minutes * 60'000'000'000;
  return finding;
}

TEST_CASE("what strikes at once explains nothing hours later") {
  const std::vector<Relation> relations = {
      Says(Relation::Kind::kExplains, "*", "*")};
  const auto roots = [&](const std::string& cause, const std::string& later,
                         int64_t minutes) {
    std::vector<Finding> findings = {AtTime(cause, 1, 7),
                                     AtTime(later, 9, 7 + minutes)};
    return Rank(&findings, relations);
  };
  using Indices = std::vector<size_t>;
  CHECK(roots("memory/capacity", "process/exception", 110) == Indices{0});
  CHECK(roots("memory/capacity", "process/exception", 312) == Indices{1, 0});
  // It may be the same minute, by clocks of two zones.
  CHECK(roots("memory/capacity", "process/exception", 300) == Indices{0});
  // A full disk stays full, and a collective waits long.
  CHECK(roots("storage/full", "process/exception", 312) == Indices{0});
  CHECK(roots("kernel/device-assert", "distributed/collective-timeout", 312) ==
        Indices{0});
}

TEST_CASE("of another log's clock nothing is known") {
  std::vector<Finding> findings = {AtTime("memory/capacity", 1, 7),
                                   AtTime("process/exception", 9, 319)};
  findings[1].lines = {{2, {9, 9}}};
  const std::vector<Relation> relations = {
      Says(Relation::Kind::kExplains, "memory/*", "process/*")};
  CHECK(Rank(&findings, relations) == std::vector<size_t>{0});
}

TEST_CASE("a relation may ask that both name the same") {
  Relation relation =
      Says(Relation::Kind::kExplains, "host/node-lost", "process/killed");
  relation.same = {"node_id"};
  std::vector<Finding> findings = {At("host/node-lost", 1),
                                   At("process/killed", 9)};
  const auto roots = [&](const Figures& one, const Figures& other) {
    findings[0].figures = one;
    findings[1].figures = other;
    return Rank(&findings, {relation}).size();
  };
  CHECK(roots({{"node_id", "ab"}}, {{"node_id", "cd"}}) == 2);
  CHECK(roots({{"node_id", Figure::List{"ab", "cd"}}}, {{"node_id", "cd"}}) ==
        1);
  CHECK(roots({{"node_id", "ab"}}, {}) == 1);
}

TEST_CASE("one device has one address, however it is written") {
  Relation relation =
      Says(Relation::Kind::kExplains, "hardware/ecc", "hardware/nvlink");
  relation.scope = Relation::Scope::kDevice;
  std::vector<Finding> findings = {At("hardware/ecc", 1),
                                   At("hardware/nvlink", 9)};
  findings[0].figures = {{"pci", "0000:1a:00"}};
  findings[1].figures = {{"pci", "00000000:1A:00.0"}};
  CHECK(Rank(&findings, {relation}).size() == 1);
  findings[1].figures = {{"pci", "0000:3b:00"}};
  CHECK(Rank(&findings, {relation}).size() == 2);
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
