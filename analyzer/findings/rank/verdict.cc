// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/rank/verdict.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/findings/collect/collect.h"
#include "analyzer/findings/job/describe_job.h"
#include "analyzer/findings/rank/alike.h"
#include "analyzer/findings/rank/doubts.h"
#include "analyzer/findings/rank/ending_verdict.h"
#include "analyzer/findings/rank/last_signs.h"
#include "analyzer/findings/rank/long_past.h"
#include "analyzer/findings/rank/losses.h"
#include "analyzer/findings/rank/open_question.h"
#include "analyzer/findings/rank/quote.h"
#include "analyzer/findings/rank/relation_match.h"
#include "analyzer/findings/rank/relations.h"
#include "analyzer/findings/rank/same_death.h"
#include "analyzer/findings/rank/words_below.h"
#include "base/text.h"

namespace inquest::findings {
namespace {

void NameRoot(const std::vector<size_t>& roots, Diagnosis* diagnosis) {
  Verdict& verdict = diagnosis->verdict;
  const Finding& root = diagnosis->findings[roots.front()];
  verdict.cause = root.cause;
  verdict.finding = roots.front();
  verdict.confidence = root.confidence;
  verdict.title = root.title;
  verdict.summary = root.message;
  verdict.figures = root.figures;
}

// A bare ending, or a traceback that breaks off before its exception.
bool SaysNoReason(const Finding& finding) {
  return finding.cause == "unknown" && !finding.evidence.empty() &&
         (finding.rule.starts_with("endings.") ||
          finding.rule == "python.traceback");
}

// What a process says last above such lines is most of what is known: an error,
// or else a sign of trouble such as a gradient that is NaN.
void QuoteErrorAbove(facts::Store* store, Diagnosis* diagnosis) {
  Verdict& verdict = diagnosis->verdict;
  const Finding& root = diagnosis->findings[*verdict.finding];
  if (!SaysNoReason(root)) return;
  const Evidence* line = LastErrorAbove(verdict.open, root.evidence.front());
  const std::string said =
      line != nullptr
          ? fmt::format("the last error above it: \"{}\"", QuoteOf(line->text))
          : FindLastSigns(store).warned;
  if (said.empty()) return;
  if (verdict.summary == verdict.title) verdict.summary.clear();
  verdict.summary += (verdict.summary.empty() ? "" : "; ") + said;
}

void NameMissing(facts::Store* store, const Ending& ending,
                 const std::vector<rules::Relation>& relations,
                 Diagnosis* diagnosis) {
  Verdict& verdict = diagnosis->verdict;
  std::string by;
  if (verdict.finding) {
    const Finding& root = diagnosis->findings[*verdict.finding];
    by = root.rule;
    if (root.standing == Standing::kUnexplained) {
      verdict.missing = MissingCause(store, root, relations);
    }
  }
  const bool failed = verdict.finding.has_value() || ending.died;
  for (std::string& missing :
       MissingEvidence(store, verdict.cause, by, failed)) {
    verdict.missing.push_back(std::move(missing));
  }
}

// Ids follow the report: roots first, then what they explain, notes last.
void SortAndNumber(Diagnosis* diagnosis) {
  auto& findings = diagnosis->findings;
  std::vector<size_t> order(findings.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const bool verdict_a = diagnosis->verdict.finding == a;
    const bool verdict_b = diagnosis->verdict.finding == b;
    if (verdict_a != verdict_b) return verdict_a;
    return findings[a].standing < findings[b].standing;
  });
  std::vector<size_t> place(findings.size());
  std::vector<Finding> sorted;
  for (size_t i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
    sorted.push_back(std::move(findings[order[i]]));
    sorted.back().id = fmt::format("F{}", i + 1);
  }
  for (Finding& finding : sorted) {
    for (Link& link : finding.links) link.by = place[link.by];
  }
  findings = std::move(sorted);
  if (diagnosis->verdict.finding) {
    diagnosis->verdict.finding = place[*diagnosis->verdict.finding];
  }
  for (Tie& tie : diagnosis->verdict.ties) tie.finding = place[tie.finding];
}

// Whether the verdict leaves open why the run ended.
bool IsOpen(const std::vector<size_t>& roots, const Ending& ending,
            const Diagnosis& diagnosis) {
  if (roots.empty()) return !ending.finished && !ending.alive;
  const Finding& root = diagnosis.findings[roots.front()];
  return root.cause == "unknown" || root.standing == Standing::kUnexplained;
}

Status Name(facts::Store* store, const Ending& ending,
            const std::vector<rules::Relation>& relations,
            const std::vector<size_t>& roots, Diagnosis* diagnosis) {
  Verdict& verdict = diagnosis->verdict;
  if (IsOpen(roots, ending, *diagnosis)) {
    ASSIGN_OR_RETURN(verdict.open, FindOpenQuestion(store));
  }
  if (!roots.empty()) {
    NameRoot(roots, diagnosis);
    QuoteErrorAbove(store, diagnosis);
    QuoteWordsBelow(store, diagnosis);
  } else {
    NameByEnding(store, ending, relations, diagnosis);
  }
  return Status::Ok();
}

}  // namespace

Status Decide(facts::Store* store,
              const std::vector<rules::Relation>& relations,
              Diagnosis* diagnosis) {
  ASSIGN_OR_RETURN(const Ending ending, ReadEnding(store));
  ASSIGN_OR_RETURN(const Figures run_figures, RunFigures(store));
  if (ending.recorded && !ending.died) {
    // The run recovered from all its errors and succeeded. Warnings are about
    // later runs and keep their standing.
    for (Finding& finding : diagnosis->findings) {
      if (finding.severity == rules::Severity::kError) finding.survived = true;
    }
  }
  RETURN_IF_ERROR(NamePlaces(store, diagnosis));
  bool complete = true;
  const std::vector<size_t> roots =
      Rank(&diagnosis->findings, relations, &complete);
  if (!complete) {
    diagnosis->limits.push_back(
        {"relations", "stopped: too many relations for so many findings"});
  }
  RETURN_IF_ERROR(Name(store, ending, relations, roots, diagnosis));
  if (diagnosis->verdict.finding) AddFromSameDeath(diagnosis);
  diagnosis->verdict.figures.AddNew(run_figures);
  diagnosis->verdict.ties = FindTies(diagnosis->findings, roots);
  NameMissing(store, ending, relations, diagnosis);
  SortAndNumber(diagnosis);
  NameAlike(diagnosis);
  RETURN_IF_ERROR(DescribeJob(store, diagnosis));
  diagnosis->actions = DecideActions(store, *diagnosis);
  return WeighLosses(store, diagnosis);
}

}  // namespace inquest::findings
