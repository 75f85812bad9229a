// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/rank/ending_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "analyzer/facts/derive/ending.h"
#include "analyzer/findings/collect/evidence.h"
#include "analyzer/findings/rank/no_end.h"
#include "analyzer/findings/rank/quote.h"
#include "analyzer/findings/rank/relations.h"

namespace inquest::findings {
namespace {

using Errors = std::vector<const Finding*>;

constexpr size_t kMaxQuote = 100;

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
                     QuoteOf(lines[0].text, kMaxQuote));
}

using Lines = std::set<std::pair<int64_t, int64_t>>;

// Lines that a signature knows as no error at all, whatever they mention; an
// exception that Python ignores goes on for some lines.
Lines BenignLines(facts::Store* store) {
  Lines lines;
  auto row = store->db().Prepare(fmt::format(
      "WITH {} SELECT source, line FROM store_log_event WHERE role = 'benign' "
      "UNION SELECT source, line FROM ignored_event",
      facts::kIgnoredTracebacks));
  if (!row.ok()) return lines;
  for (int64_t source = 0, line = 0; row->Next(&source, &line);) {
    lines.emplace(source, line);
  }
  return lines;
}

bool AreAllAmong(const std::vector<Evidence>& evidence, const Lines& lines) {
  return std::all_of(
      evidence.begin(), evidence.end(), [&](const Evidence& one) {
        return one.line > 0 && lines.contains({one.source, one.line});
      });
}

// Whether all lines of a finding belong to one of the others, too.
bool IsTold(const Finding& finding, const Errors& others) {
  return std::any_of(others.begin(), others.end(), [&](const Finding* other) {
    return AreAmong(finding.evidence, other->evidence);
  });
}

// More than that something failed.
bool NamesCause(const Finding& finding) {
  return finding.cause != "unknown" && finding.cause != "process/exception";
}

// Those that nothing explains and nothing says better, as for the errors of a
// run that died.
Errors Roots(const Errors& errors,
             const std::vector<rules::Relation>& relations) {
  std::vector<Finding> fatal;
  for (const Finding* error : errors) {
    fatal.push_back(*error);
    fatal.back().survived = false;
  }
  Errors roots;
  for (const size_t root : Rank(&fatal, relations)) {
    roots.push_back(errors[root]);
  }
  return roots;
}

// The errors that the run survived: those that name a cause come first, and
// only one for each line. A traceback's first line is left to the others.
Errors SurvivedErrors(facts::Store* store,
                      const std::vector<rules::Relation>& relations,
                      const Diagnosis& diagnosis) {
  const Lines benign = BenignLines(store);
  Errors all;
  for (const Finding& finding : diagnosis.findings) {
    if (finding.survived && finding.severity == rules::Severity::kError &&
        !AreAllAmong(finding.evidence, benign)) {
      all.push_back(&finding);
    }
  }
  all = Roots(all, relations);
  std::stable_partition(all.begin(), all.end(), [](const Finding* finding) {
    return NamesCause(*finding);
  });
  Errors survived;
  for (const Finding* finding : all) {
    if (!IsTold(*finding, survived)) survived.push_back(finding);
  }
  const auto says_nothing = [](const Finding* finding) {
    return finding->rule == "python.traceback";
  };
  if (!std::ranges::all_of(survived, says_nothing)) {
    std::erase_if(survived, says_nothing);
  }
  return survived;
}

// An exception by its own words.
std::string NameOf(const Finding& finding) {
  constexpr size_t kMaxWords = 80;
  const std::string& exception = finding.figures["exception"].Text();
  if (exception.empty()) return finding.title;
  const auto& texts = finding.figures["exception_text"].AsList();
  const bool has_text = !texts.empty() && texts.front().IsText();
  return exception +
         (has_text ? ": " + QuoteOf(texts.front().Text(), kMaxWords) : "");
}

// Why a program could not use the GPU.
bool DeniesGpu(const Finding* finding) {
  return finding->cause == "device/unavailable" ||
         finding->cause.starts_with("version/driver-") ||
         finding->cause == "version/library-missing";
}

// Whether the traces show that no recorded process ever had a GPU.
bool NeverHadGpu(facts::Store* store) {
  const auto used = store->db().QueryInt(
      "SELECT EXISTS (SELECT 1 FROM device) OR EXISTS (SELECT 1 FROM "
      "memory_event)");
  return store->traces() > 0 && used.ok() && *used == 0;
}

// What a program went on without, as its trace says or else its log; the
// program's exceptions on the way are part of that.
std::string WithoutGpu(facts::Store* store, const Diagnosis& diagnosis,
                       Errors* survived) {
  if (!NeverHadGpu(store)) return {};
  const Finding* why = nullptr;
  for (const Finding& finding : diagnosis.findings) {
    if (!finding.survived || !DeniesGpu(&finding)) continue;
    const bool recorded = finding.unit.process.has_value();
    if (why == nullptr || (recorded && !why->unit.process)) why = &finding;
  }
  if (why == nullptr) return {};
  std::erase_if(*survived, [](const Finding* finding) {
    return DeniesGpu(finding) || !NamesCause(*finding);
  });
  return "; the GPU was not used: " + why->message;
}

// What it went on without; the first two of its other errors, and how many more
// there were.
std::string Survived(facts::Store* store, const Diagnosis& diagnosis,
                     Errors survived,
                     std::string_view words = "it survived this") {
  const std::string without = WithoutGpu(store, diagnosis, &survived);
  if (survived.empty()) return without;
  constexpr size_t kMostNamed = 2;
  std::string text;
  for (size_t i = 0; i < std::min(kMostNamed, survived.size()); ++i) {
    const Finding& one = *survived[i];
    text += i == 0 ? fmt::format("; {}: ", words) : "; ";
    text += NameOf(one);
    if (one.count > 1) text += fmt::format(" ({} times)", one.count);
  }
  if (survived.size() > kMostNamed) {
    text += fmt::format(", and {} more", survived.size() - kMostNamed);
  }
  return without + text;
}

// Whether the line that says how the run ended has such a figure.
bool EndHas(facts::Store* store, const Ending& ending, const char* figure) {
  auto row = store->db().Prepare(fmt::format(
      "SELECT 1 FROM store_log_event WHERE ?1 GLOB 'log_event:*' AND "
      "id = CAST(substr(?1, 11) AS INTEGER) AND figures ->> '$.{}' IS NOT NULL",
      figure));
  if (!row.ok()) return false;
  row->BindAll(ending.evidence);
  int64_t found = 0;
  return row->Next(&found);
}

// Whether it could do its work to the end: a server that ends in order may have
// failed before, and an exit status of 0 tells a program that did nothing, too.
bool IsProven(facts::Store* store, const Errors& survived, const Ending& ending,
              bool worked) {
  if (!worked || !EndHas(store, ending, "orderly")) return worked;
  return std::ranges::none_of(
      survived, [](const Finding* one) { return NamesCause(*one); });
}

void NameCompleted(facts::Store* store, const Diagnosis& diagnosis,
                   const Errors& survived, const Ending& ending,
                   Verdict* verdict) {
  const bool worked = ending.worked || !EndHas(store, ending, "only_status");
  verdict->cause = "none";
  verdict->title = "Nothing fatal";
  verdict->confidence = IsProven(store, survived, ending, worked)
                            ? rules::Confidence::kConfirmed
                            : rules::Confidence::kProbable;
  verdict->summary =
      fmt::format("the {}: {}{}{}", worked ? "run completed" : "process ended",
                  ProofOfEnd(store, ending),
                  worked ? "" : "; no step of its work is in the log",
                  Survived(store, diagnosis, survived));
}

void NameAlive(facts::Store* store, const Diagnosis& diagnosis,
               const Errors& survived, const Ending& ending, Verdict* verdict) {
  verdict->cause = "none";
  if (ending.evidence.starts_with("log_event:")) {
    verdict->title = "The job lived, and nothing was amiss";
    verdict->confidence = rules::Confidence::kProbable;
    verdict->summary =
        "when it was asked all its ranks answered, and none was behind: " +
        ProofOfEnd(store, ending) + Survived(store, diagnosis, survived);
    return;
  }
  verdict->title = "The run is still alive";
  verdict->confidence = rules::Confidence::kProbable;
  verdict->summary =
      "its process runs on this machine, and the evidence so far shows nothing "
      "that kills a run" +
      Survived(store, diagnosis, survived);
}

void NameUnknown(const Ending& ending, Verdict* verdict) {
  verdict->cause = "unknown";
  verdict->title = "The cause is not in evidence";
  verdict->summary =
      HowItEnded(ending) + " and nothing in the evidence says why";
}

}  // namespace

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

void NameByEnding(facts::Store* store, const Ending& ending,
                  const std::vector<rules::Relation>& relations,
                  Diagnosis* diagnosis) {
  Verdict* verdict = &diagnosis->verdict;
  if (ending.died) return NameUnknown(ending, verdict);
  const Errors survived = SurvivedErrors(store, relations, *diagnosis);
  if (ending.finished) {
    NameCompleted(store, *diagnosis, survived, ending, verdict);
  } else if (ending.alive) {
    NameAlive(store, *diagnosis, survived, ending, verdict);
  } else {
    NameNoEnd(store, ending.worked,
              Survived(store, *diagnosis, survived,
                       "it went on after this, as the log shows or says"),
              verdict);
  }
}

}  // namespace inquest::findings
