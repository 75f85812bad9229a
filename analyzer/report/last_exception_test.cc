// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/last_exception.h"

#include "tests/catch_compat.h"

namespace inquest::report {
namespace {

using findings::Diagnosis;
using findings::Evidence;
using findings::Finding;

Finding At(int64_t line, std::string text, std::string rule) {
  Evidence evidence;
  evidence.source = 1;
  evidence.line = line;
  evidence.text = std::move(text);
  Finding finding;
  finding.rule = std::move(rule);
  finding.standing = findings::Standing::kSymptom;
  finding.evidence.push_back(std::move(evidence));
  return finding;
}

Finding Raised(int64_t line, std::string text) {
  Finding finding = At(line, std::move(text), "python.runtime-error");
  finding.figures.AddIfNew("exception", "RuntimeError");
  finding.links.push_back({0, "explains", "", true, {}});
  return finding;
}

Diagnosis Of(Finding root, Finding other) {
  Diagnosis diagnosis;
  diagnosis.findings = {std::move(root), std::move(other)};
  diagnosis.verdict.finding = 0;
  return diagnosis;
}

const Finding kRoot = At(3, "libx.so: cannot open shared object file", "lib");

TEST_CASE("an exception that the verdict does not quote is what came last") {
  const auto diagnosis = Of(kRoot, Raised(9, "RuntimeError: no operator x::y"));
  const Evidence* last = LastException(diagnosis);
  REQUIRE(last != nullptr);
  CHECK(last->line == 9);
}

TEST_CASE("nothing is said of what the verdict tells or of another rank") {
  const char* same = "ImportError: libx.so: cannot open shared object file";
  CHECK(LastException(Of(kRoot, Raised(9, same))) == nullptr);
  CHECK(LastException(Of(kRoot, Raised(2, "RuntimeError: x"))) == nullptr);
  CHECK(LastException(Of(kRoot, Raised(9, "Exception:"))) == nullptr);
  Finding root = kRoot;
  root.unit.rank = 0;
  Finding other = Raised(9, "RuntimeError: no operator x::y");
  other.unit.rank = 1;
  CHECK(LastException(Of(root, other)) == nullptr);
}

}  // namespace
}  // namespace inquest::report
