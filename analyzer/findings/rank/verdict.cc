// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/rank/verdict.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/findings/collect/collect.h"
#include "analyzer/findings/rank/alike.h"
#include "analyzer/findings/rank/doubts.h"
#include "analyzer/findings/rank/relations.h"

namespace inquest::findings {
namespace {

struct Ending {
  bool died = false;
  bool finished = false;
  bool recorded = false;  // by the exit status of the run or its processes
  int64_t exit_code = 0;
  int64_t signal = 0;
};

Expected<Ending> ReadEnding(facts::Store* store) {
  Ending ending;
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare("SELECT died, finished, evidence LIKE 'run:%' OR "
                          "evidence LIKE 'device_event:%' FROM ending"));
  row.Next(&ending.died, &ending.finished, &ending.recorded);
  RETURN_IF_ERROR(row.status());
  ASSIGN_OR_RETURN(
      Statement run,
      store->db().Prepare("SELECT coalesce(exit_code, 0), coalesce(signal, 0) "
                          "FROM run WHERE end_time IS NOT NULL"));
  run.Next(&ending.exit_code, &ending.signal);
  return ending;
}

std::string HowItEnded(const Ending& ending) {
  if (ending.signal != 0) {
    return fmt::format("the run died of signal {}", ending.signal);
  }
  if (ending.exit_code != 0) {
    return fmt::format("the run ended with exit status {}", ending.exit_code);
  }
  return "the run ended badly";
}

void NameNone(const Diagnosis& diagnosis, const Ending& ending,
              Verdict* verdict) {
  verdict->cause = "none";
  verdict->title = "Nothing fatal";
  verdict->confidence = ending.finished ? rules::Confidence::kConfirmed
                                        : rules::Confidence::kProbable;
  verdict->summary = ending.finished
                         ? "the run completed"
                         : "nothing that kills a run is in evidence";
  const auto survived =
      std::count_if(diagnosis.findings.begin(), diagnosis.findings.end(),
                    [](const Finding& f) { return f.survived; });
  if (survived > 0) {
    verdict->summary +=
        fmt::format("; it survived {} error(s) on the way", survived);
  }
}

void NameUnknown(const Ending& ending, Verdict* verdict) {
  verdict->cause = "unknown";
  verdict->title = "The cause is not in evidence";
  verdict->summary = HowItEnded(ending) + " and nothing found says why";
}

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

// A lesser finding of the same death may have figures and lines that the root
// lacks: the trace has the sizes, the log the program's own words.
void TakeOver(const Finding& from, Verdict* verdict, Finding* root) {
  verdict->figures.AddNew(from.figures);
  if (from.evidence.empty()) return;
  const Evidence& line = from.evidence.front();
  const bool known =
      std::any_of(root->evidence.begin(), root->evidence.end(),
                  [&](const Evidence& one) { return IsSame(one, line); });
  if (!known) AddEvidence(root, line);
}

// Adds what other findings of the same death and the run's context know.
void AddFigures(const Figures& run_figures, Diagnosis* diagnosis) {
  Verdict& verdict = diagnosis->verdict;
  for (const Finding& finding : diagnosis->findings) {
    if (!verdict.finding) break;
    for (const Link& link : finding.links) {
      if (link.by != *verdict.finding || link.kind == "explains") continue;
      TakeOver(finding, &verdict, &diagnosis->findings[*verdict.finding]);
    }
  }
  verdict.figures.AddNew(run_figures);
}

void NameMissing(facts::Store* store,
                 const std::vector<rules::Relation>& relations,
                 Diagnosis* diagnosis) {
  Verdict& verdict = diagnosis->verdict;
  if (verdict.finding) {
    const Finding& root = diagnosis->findings[*verdict.finding];
    if (root.standing == Standing::kUnexplained) {
      verdict.missing = MissingCause(store, *diagnosis, root, relations);
    }
  }
  for (std::string& missing : MissingEvidence(store)) {
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

}  // namespace

Status Decide(facts::Store* store,
              const std::vector<rules::Relation>& relations,
              Diagnosis* diagnosis) {
  ASSIGN_OR_RETURN(const Ending ending, ReadEnding(store));
  ASSIGN_OR_RETURN(const Figures run_figures, RunFigures(store));
  if (ending.recorded && !ending.died) {
    // Whatever went wrong, the run recovered and succeeded. Warnings are about
    // later runs and keep their standing.
    for (Finding& finding : diagnosis->findings) {
      if (finding.severity == rules::Severity::kError) finding.survived = true;
    }
  }
  bool complete = true;
  const std::vector<size_t> roots =
      Rank(&diagnosis->findings, relations, &complete);
  if (!complete) {
    diagnosis->limits.push_back(
        {"relations", "stopped: too many for so many findings"});
  }
  if (!roots.empty()) {
    NameRoot(roots, diagnosis);
  } else if (ending.died) {
    NameUnknown(ending, &diagnosis->verdict);
  } else {
    NameNone(*diagnosis, ending, &diagnosis->verdict);
  }
  AddFigures(run_figures, diagnosis);
  diagnosis->verdict.ties = FindTies(diagnosis->findings, roots);
  NameMissing(store, relations, diagnosis);
  SortAndNumber(diagnosis);
  NameAlike(diagnosis);
  return Status::Ok();
}

}  // namespace inquest::findings
