// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/rank/verdict.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/findings/collect/collect.h"
#include "analyzer/findings/collect/evidence.h"
#include "analyzer/findings/rank/alike.h"
#include "analyzer/findings/rank/doubts.h"
#include "analyzer/findings/rank/open_question.h"
#include "analyzer/findings/rank/relations.h"
#include "base/text.h"
#include "base/units.h"

namespace inquest::findings {
namespace {

constexpr size_t kMaxQuote = 100;

struct Ending {
  bool died = false;
  bool finished = false;
  bool alive = false;
  bool recorded = false;  // by the exit status of the run or its processes
  bool worked = false;    // there are signs of ordinary work
  std::string evidence;   // the row or line that says how it ended
  std::string state;      // of the recorded run
  int64_t exit_code = 0;
  int64_t signal = 0;
};

Expected<Ending> ReadEnding(facts::Store* store) {
  Ending ending;
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare("SELECT died, finished, alive, evidence LIKE 'run:%' "
                          "OR evidence LIKE 'device_event:%', "
                          "progress_count > 0, evidence FROM ending"));
  row.Next(&ending.died, &ending.finished, &ending.alive, &ending.recorded,
           &ending.worked, &ending.evidence);
  RETURN_IF_ERROR(row.status());
  ASSIGN_OR_RETURN(
      Statement run,
      store->db().Prepare("SELECT coalesce(exit_code, 0), coalesce(signal, 0), "
                          "state FROM run"));
  run.Next(&ending.exit_code, &ending.signal, &ending.state);
  return ending;
}

std::string HowItEnded(const Ending& ending) {
  if (ending.signal != 0) {
    return fmt::format("the run died of signal {}", ending.signal);
  }
  if (ending.exit_code != 0) {
    return fmt::format("the run ended with exit status {}", ending.exit_code);
  }
  if (ending.state == "vanished") {
    return "the run's process is gone and left no exit status";
  }
  return "the run failed";
}

// "exit status 0", or the line of a log that says so.
std::string ProofOfEnd(facts::Store* store, const Ending& ending) {
  if (ending.recorded) return "its exit status is 0";
  const auto lines = ResolveEvidence(store, ending.evidence, {}, 1);
  if (lines.empty()) return "its processes ended with status 0";
  return fmt::format("{}:{} says \"{}\"", lines[0].path, lines[0].line,
                     Printable(Trim(lines[0].text), kMaxQuote));
}

// Whether all lines of a finding belong to one of the others, too.
bool IsTold(const Finding& finding, const std::vector<const Finding*>& others) {
  return std::any_of(others.begin(), others.end(), [&](const Finding* other) {
    return std::all_of(
        finding.evidence.begin(), finding.evidence.end(),
        [&](const Evidence& line) {
          return std::any_of(
              other->evidence.begin(), other->evidence.end(),
              [&](const Evidence& one) { return IsSame(one, line); });
        });
  });
}

// The errors that the run survived: those that name a cause come first, and
// only one for each line.
std::vector<const Finding*> SurvivedErrors(const Diagnosis& diagnosis) {
  std::vector<const Finding*> all;
  for (const Finding& finding : diagnosis.findings) {
    if (finding.survived && finding.severity == rules::Severity::kError) {
      all.push_back(&finding);
    }
  }
  std::stable_partition(all.begin(), all.end(), [](const Finding* finding) {
    return finding->cause != "unknown" && finding->cause != "process/exception";
  });
  std::vector<const Finding*> survived;
  for (const Finding* finding : all) {
    if (!IsTold(*finding, survived)) survived.push_back(finding);
  }
  return survived;
}

// The first of them, and how many more there were.
std::string Survived(const Diagnosis& diagnosis) {
  const std::vector<const Finding*> survived = SurvivedErrors(diagnosis);
  if (survived.empty()) return {};
  const Finding& first = *survived.front();
  std::string text = fmt::format("; it survived this: {}", first.title);
  if (first.count > 1) text += fmt::format(" ({} times)", first.count);
  if (survived.size() > 1) {
    text += fmt::format(", and {} more", survived.size() - 1);
  }
  return text;
}

void NameCompleted(facts::Store* store, const Diagnosis& diagnosis,
                   const Ending& ending, Verdict* verdict) {
  verdict->cause = "none";
  verdict->title = "Nothing fatal";
  verdict->confidence = rules::Confidence::kConfirmed;
  verdict->summary =
      "the run completed: " + ProofOfEnd(store, ending) + Survived(diagnosis);
}

void NameAlive(const Diagnosis& diagnosis, Verdict* verdict) {
  verdict->cause = "none";
  verdict->title = "The run is still alive";
  verdict->confidence = rules::Confidence::kProbable;
  verdict->summary =
      "its process runs on this machine, and the evidence so far shows nothing "
      "that kills a run" +
      Survived(diagnosis);
}

void NameUnknown(const Ending& ending, Verdict* verdict) {
  verdict->cause = "unknown";
  verdict->title = "The cause is not in evidence";
  verdict->summary =
      HowItEnded(ending) + " and nothing in the evidence says why";
}

// A log that merely stops proves neither a clean end nor a death.
void NameNoEnd(const Diagnosis& diagnosis, const Ending& ending,
               Verdict* verdict) {
  verdict->cause = "unknown";
  if (!verdict->open.suspects.empty()) {
    verdict->title = "No failure that a rule knows, and no proof of an end";
    verdict->summary =
        "lines that look like errors are shown below; no line says that the "
        "run completed";
  } else {
    verdict->title = "No failure in evidence, and no proof of an end";
    verdict->summary =
        ending.worked ? "there are signs of ordinary work, and no line says "
                        "how the run ended"
                      : "no line says that the run failed or completed";
  }
  verdict->summary += Survived(diagnosis);
  verdict->missing.emplace_back(
      "what would decide: the exit status (`inquest record`, or the "
      "scheduler's record of the job) or the log's last lines, if more were "
      "written");
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

// A lower-ranked finding of the same death may have figures and lines that the
// root lacks: the trace has the sizes, the log the program's own words.
void AddFrom(const Finding& from, Verdict* verdict, Finding* root) {
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
      AddFrom(finding, &verdict, &diagnosis->findings[*verdict.finding]);
    }
  }
  verdict.figures.AddNew(run_figures);
}

void NameMissing(facts::Store* store, const Ending& ending,
                 const std::vector<rules::Relation>& relations,
                 Diagnosis* diagnosis) {
  Verdict& verdict = diagnosis->verdict;
  if (verdict.finding) {
    const Finding& root = diagnosis->findings[*verdict.finding];
    if (root.standing == Standing::kUnexplained) {
      verdict.missing = MissingCause(store, *diagnosis, root, relations);
    }
  }
  const bool failed = verdict.finding.has_value() || ending.died;
  for (std::string& missing : MissingEvidence(store, verdict.cause, failed)) {
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
  } else if (ending.died) {
    NameUnknown(ending, &verdict);
  } else if (ending.finished) {
    NameCompleted(store, *diagnosis, ending, &verdict);
  } else if (ending.alive) {
    NameAlive(*diagnosis, &verdict);
  } else {
    NameNoEnd(*diagnosis, ending, &verdict);
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
  return Status::Ok();
}

}  // namespace inquest::findings
