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

// A finding of another node, or of another hour, adds nothing to this one.
bool MayBeOneDeath(const Finding& one, const Finding& root) {
  return MayBeOneHost(one.unit.host, root.unit.host) &&
         !NameDifferent(one, root, "node_id") && !IsLongPast(one, root) &&
         !IsLongPast(root, one);
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

// A lower-ranked finding of the same death may have figures and lines that the
// root lacks: the trace has the sizes, the log the program's own words.
void AddFrom(const Finding& from, Verdict* verdict, Finding* root) {
  if (!MayBeOneDeath(from, *root)) return;
  verdict->figures.AddNew(from.figures);
  // A line that names no cause, such as a traceback's first, proves none.
  if (from.evidence.empty() || from.cause == "unknown") return;
  const Evidence& line = from.evidence.front();
  if (!IsAmong(line, root->evidence)) AddEvidence(root, line);
}

// Whether it tells how a process of the root's rank ended.
bool IsItsEnd(const Finding& finding, const Finding& root) {
  return finding.rule.starts_with("endings.") &&
         finding.figures.Contains("pid") && MayBeOneDeath(finding, root) &&
         finding.unit.rank == root.unit.rank;
}

// Number and status of the process that the root ended: of its rank, or of the
// only one that ended.
void AddEnd(Diagnosis* diagnosis) {
  Verdict& verdict = diagnosis->verdict;
  const Finding& root = diagnosis->findings[*verdict.finding];
  std::vector<const Finding*> ends;
  for (const Finding& finding : diagnosis->findings) {
    if (IsItsEnd(finding, root)) ends.push_back(&finding);
  }
  const bool only = ends.size() == 1 && ends.front()->others.empty();
  if (ends.empty() || (!root.unit.rank && (!only || root.unit.pid))) return;
  for (const char* name : {"pid", "exitcode", "signal"}) {
    const Figure* figure = ends.front()->figures.Find(name);
    if (figure != nullptr) verdict.figures.AddIfNew(name, *figure);
  }
}

// Whether the finding is about the same failure as the root that it names: a
// program raises more exceptions than one.
bool IsSameFailure(const Link& link, const Finding& finding,
                   const Finding& root) {
  return link.kind != "explains" &&
         (link.kind != "same cause" || root.cause != "process/exception" ||
          finding.rule == root.rule);
}

// Of what the root only says better.
void AddRefined(Diagnosis* diagnosis) {
  Verdict& verdict = diagnosis->verdict;
  Finding* root = &diagnosis->findings[*verdict.finding];
  for (const Finding& finding : diagnosis->findings) {
    for (const Link& link : finding.links) {
      if (link.by != *verdict.finding) continue;
      if (IsSameFailure(link, finding, *root)) AddFrom(finding, &verdict, root);
    }
  }
}

// An allocator's own line stands above the traceback of the exception that has
// its words.
void AddPlace(Diagnosis* diagnosis) {
  Finding* root = &diagnosis->findings[*diagnosis->verdict.finding];
  if (root->figures.Contains("place")) return;
  for (const Finding& finding : diagnosis->findings) {
    if (finding.standing == Standing::kSymptom && !finding.evidence.empty() &&
        finding.rule.starts_with("python.") &&
        finding.unit.rank == root->unit.rank &&
        IsSaidAmong(finding.evidence.front(), root->evidence)) {
      root->figures.AddIfNew("place", finding.figures["place"]);
      return;
    }
  }
}

// Adds what other findings of the same death and the run's context know.
void AddFigures(const Figures& run_figures, Diagnosis* diagnosis) {
  if (diagnosis->verdict.finding) {
    AddEnd(diagnosis);
    AddRefined(diagnosis);
    AddPlace(diagnosis);
  }
  diagnosis->verdict.figures.AddNew(run_figures);
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
            const std::vector<size_t>& roots, Diagnosis* diagnosis) {
  Verdict& verdict = diagnosis->verdict;
  if (IsOpen(roots, ending, *diagnosis)) {
    ASSIGN_OR_RETURN(verdict.open, FindOpenQuestion(store));
  }
  if (!roots.empty()) {
    NameRoot(roots, diagnosis);
    QuoteErrorAbove(store, diagnosis);
  } else {
    NameByEnding(store, ending, diagnosis);
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
  RETURN_IF_ERROR(Name(store, ending, roots, diagnosis));
  AddFigures(run_figures, diagnosis);
  diagnosis->verdict.ties = FindTies(diagnosis->findings, roots);
  NameMissing(store, ending, relations, diagnosis);
  SortAndNumber(diagnosis);
  NameAlike(diagnosis);
  RETURN_IF_ERROR(DescribeJob(store, diagnosis));
  diagnosis->actions = DecideActions(store, *diagnosis);
  return WeighLosses(store, diagnosis);
}

}  // namespace inquest::findings
