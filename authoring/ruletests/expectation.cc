// SPDX-License-Identifier: Apache-2.0
#include "authoring/ruletests/expectation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "authoring/ruletests/compare_figures.h"

namespace inquest::ruletests {
namespace {

using findings::Diagnosis;
using findings::Finding;

std::string ShownFinding(const FindingExpectation& expected) {
  std::string text = expected.rule;
  if (!expected.causes.empty()) {
    text += (text.empty() ? "" : " ") +
            fmt::format("{}", fmt::join(expected.causes, " or "));
  }
  return text.empty() ? "a finding" : text;
}

std::string ShownFindings(const Diagnosis& diagnosis) {
  std::string text;
  for (const Finding& finding : diagnosis.findings) {
    if (!text.empty()) text += ", ";
    text += finding.rule;
  }
  return text.empty() ? "no finding" : text;
}

// Whether a test that asks for "none" may take the verdict for it: the few
// lines of a test seldom prove a clean end, and what it means is that no rule
// takes them for a failure.
bool PassesForNone(const FindingExpectation& expected,
                   const findings::Verdict& verdict) {
  const auto& causes = expected.causes;
  return verdict.cause == "unknown" && !verdict.finding &&
         std::find(causes.begin(), causes.end(), "none") != causes.end();
}

// A synthetic finding for verdicts without one: none, unknown.
Finding VerdictFinding(const FindingExpectation& expected,
                       const Diagnosis& diagnosis) {
  const findings::Verdict& verdict = diagnosis.verdict;
  Finding finding;
  if (verdict.finding) finding = diagnosis.findings[*verdict.finding];
  finding.cause = PassesForNone(expected, verdict) ? "none" : verdict.cause;
  finding.confidence = verdict.confidence;
  return finding;
}

class Comparison {
 public:
  Comparison(const Expectation& expect, const Diagnosis& diagnosis)
      : expect_(expect), diagnosis_(diagnosis) {}

  std::vector<Difference> Run() {
    CompareVerdict();
    CompareFindings();
    for (const Pair& pair : expect_.explained) CompareExplained(pair);
    for (const std::string& pattern : expect_.absent) CompareAbsent(pattern);
    for (const Pair& pair : expect_.skipped) CompareSkipped(pair);
    CompareFacts();
    if (expect_.exact) CompareExact();
    return std::move(differences_);
  }

 private:
  void Add(std::string key, std::string expected, std::string got) {
    differences_.push_back(
        {std::move(key), std::move(expected), std::move(got)});
  }

  void CompareVerdict() {
    if (!expect_.verdict) return;
    Difference why;
    const Finding finding = VerdictFinding(*expect_.verdict, diagnosis_);
    if (Meets(*expect_.verdict, finding, diagnosis_.verdict.figures, &why)) {
      return;
    }
    if (why.key != "cause") why.expected = why.key + " " + why.expected;
    if (why.key == "cause" && !finding.rule.empty()) {
      why.got += " (" + finding.rule + ")";
    }
    Add("verdict", why.expected, why.got);
  }

  void CompareFindings() {
    for (const FindingExpectation& expected : expect_.findings) {
      Difference why;
      bool any = false;
      for (const Finding& finding : diagnosis_.findings) {
        Difference one;
        any = any || Meets(expected, finding, finding.figures, &one);
        // The most helpful is the nearest miss: the right rule with one
        // difference.
        if (one.key != "rule" && one.key != "cause") why = one;
      }
      if (any) continue;
      if (why.key.empty()) {
        Add("findings", ShownFinding(expected), ShownFindings(diagnosis_));
      } else {
        Add("findings",
            ShownFinding(expected) + " with " + why.key + " " + why.expected,
            why.got);
      }
    }
  }

  void CompareExplained(const Pair& pair) {
    std::string got = "absent";
    for (const Finding& finding : diagnosis_.findings) {
      if (!NamesIt(pair.what, finding.cause, finding.rule)) continue;
      if (finding.links.empty() && got == "absent") got = "not explained";
      for (const findings::Link& link : finding.links) {
        const Finding& by = diagnosis_.findings[link.by];
        if (pair.by.empty() || NamesIt(pair.by, by.cause, by.rule)) return;
        got = "by " + by.rule + " (" + by.cause + ")";
      }
    }
    Add("explained", pair.what + (pair.by.empty() ? "" : " by " + pair.by),
        got);
  }

  void CompareAbsent(const std::string& pattern) {
    for (const Finding& finding : diagnosis_.findings) {
      if (!NamesIt(pattern, finding.cause, finding.rule)) continue;
      return Add("absent", "no " + pattern,
                 finding.rule + " (" + finding.cause + ")");
    }
  }

  void CompareSkipped(const Pair& pair) {
    for (const findings::Skipped& one : diagnosis_.skipped) {
      if (!NamesIt(pair.what, one.rule, one.rule)) continue;
      if (one.missing.find(pair.by) != std::string::npos) return;
      return Add("skipped", pair.what + " without " + pair.by,
                 "skipped without " + one.missing);
    }
    Add("skipped", pair.what, "not skipped");
  }

  void CompareFacts() {
    for (const auto& [name, value] : expect_.facts) {
      FindingExpectation figure;
      figure.facts[name] = value;
      Difference why;
      if (Meets(figure, {}, diagnosis_.verdict.figures, &why)) continue;
      Add("facts", why.expected, why.got);
    }
  }

  bool IsListed(const Finding& finding) {
    const auto asks = [&](const FindingExpectation& expected) {
      return Meets(expected, finding, finding.figures, nullptr);
    };
    return std::any_of(expect_.findings.begin(), expect_.findings.end(),
                       asks) ||
           std::any_of(expect_.explained.begin(), expect_.explained.end(),
                       [&](const Pair& pair) {
                         return NamesIt(pair.what, finding.cause, finding.rule);
                       });
  }

  void CompareExact() {
    for (size_t i = 0; i < diagnosis_.findings.size(); ++i) {
      if (diagnosis_.verdict.finding == i && expect_.verdict) continue;
      const Finding& finding = diagnosis_.findings[i];
      if (IsListed(finding)) continue;
      Add("exact", "nothing else", finding.rule + " (" + finding.cause + ")");
    }
    if (expect_.facts.empty()) return;
    for (const auto& [name, value] : diagnosis_.verdict.figures) {
      if (expect_.facts.Contains(name)) continue;
      Add("exact", "no other figure", name + ": " + Shown(value));
    }
  }

  const Expectation& expect_;
  const Diagnosis& diagnosis_;
  std::vector<Difference> differences_;
};

}  // namespace

std::vector<Difference> Compare(const Expectation& expect,
                                const Diagnosis& diagnosis) {
  return Comparison(expect, diagnosis).Run();
}

}  // namespace inquest::ruletests
