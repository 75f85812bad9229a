// SPDX-License-Identifier: Apache-2.0
// Whether a finding meets a test's expectation.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "analyzer/report/report_words.h"
#include "authoring/ruletests/compare_figures.h"
#include "authoring/ruletests/expectation.h"

namespace inquest::ruletests {
namespace {

using findings::Finding;

std::string Number(const std::optional<int64_t>& value) {
  return value ? std::to_string(*value) : "none";
}

// Checks single fields of a finding and keeps the first difference.
class Asker {
 public:
  explicit Asker(Difference* why) : why_(why) {}

  void Ask(const char* key, bool fits, const std::string& expected,
           const std::string& got) {
    if (fits || !met_) return;
    met_ = false;
    if (why_ != nullptr) *why_ = {key, expected, got};
  }
  bool met() const { return met_; }

 private:
  Difference* why_;
  bool met_ = true;
};

void AskText(Asker* asker, const char* key, const std::string& expected,
             std::string_view got) {
  asker->Ask(key, expected.empty() || NamesIt(expected, got, got), expected,
             std::string(got));
}

void AskNumber(Asker* asker, const char* key,
               const std::optional<int64_t>& expected,
               const std::optional<int64_t>& got) {
  asker->Ask(key, !expected || expected == got, Number(expected), Number(got));
}

void AskEvidence(Asker* asker, const FindingExpectation& expected,
                 const Finding& finding) {
  std::string lines;
  std::string first;
  bool line = !expected.line;
  bool text = expected.evidence.empty();
  for (const findings::Evidence& one : finding.evidence) {
    if (first.empty()) first = one.text;
    text = text || one.text.find(expected.evidence) != std::string::npos;
    line = line || one.line == *expected.line;
    if (one.line > 0) lines += fmt::format("{} ", one.line);
  }
  asker->Ask("line", line, Number(expected.line),
             lines.empty() ? "no line" : lines);
  asker->Ask("evidence", text, expected.evidence,
             first.empty() ? "no evidence" : first);
}

void AskFigures(Asker* asker, const Figures& expected, const Figures& figures) {
  for (const auto& [name, value] : expected) {
    const Figure* found = figures.Find(name);
    const bool absent = found == nullptr;
    // `name: null` requires that there is no such figure.
    asker->Ask("facts", absent ? value.IsNull() : Fits(value, *found),
               name + ": " + Shown(value),
               name + ": " + (absent ? "absent" : Shown(*found)));
  }
}

}  // namespace

bool Meets(const FindingExpectation& expected, const Finding& finding,
           const Figures& figures, Difference* why) {
  Asker asker(why);
  const bool cause =
      expected.causes.empty() ||
      std::any_of(expected.causes.begin(), expected.causes.end(),
                  [&](const std::string& one) {
                    return NamesIt(one, finding.cause, finding.cause);
                  });
  asker.Ask("cause", cause,
            fmt::format("{}", fmt::join(expected.causes, " or ")),
            finding.cause);
  AskText(&asker, "rule", expected.rule, finding.rule);
  AskText(&asker, "role", expected.role, report::Word(finding.standing));
  AskText(&asker, "severity", expected.severity,
          report::Word(finding.severity));
  AskText(&asker, "confidence", expected.confidence,
          report::Word(finding.confidence));
  AskNumber(&asker, "rank", expected.rank, finding.unit.rank);
  AskNumber(&asker, "device", expected.device, finding.unit.device);
  AskEvidence(&asker, expected, finding);
  AskFigures(&asker, expected.facts, figures);
  return asker.met();
}

}  // namespace inquest::ruletests
