// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/rank/no_end.h"

#include <fmt/format.h>

#include "analyzer/findings/rank/last_signs.h"
#include "analyzer/findings/rank/quote.h"

namespace inquest::findings {
namespace {

// Where the last of a log's lines are a traceback's frames, the line that names
// the exception is missing; where it was raised, or empty.
std::string CutTraceback(facts::Store* store) {
  auto row = store->db().Prepare(
      "SELECT t.file, t.file_line, t.function FROM traceback AS t JOIN "
      "log_source AS s USING (source) WHERE t.event IS NULL AND t.exception IS "
      "NULL AND s.lines - t.last_line <= 3 AND t.file IS NOT NULL "
      "ORDER BY t.source DESC, t.line DESC LIMIT 1");
  std::string file;
  std::string function;
  int64_t line = 0;
  if (!row.ok() || !row->Next(&file, &line, &function)) return {};
  return fmt::format("{}:{} in {}", file, line, function);
}

// What a log says of a run's end, if it is not how it ended.
std::string NoEndWords(bool worked, const LastSigns& signs) {
  std::string text;
  if (signs.kernel_only) {
    return "a kernel log does not say how a program ended";
  }
  if (!signs.ended.empty()) {
    text = "the command ended: " + signs.ended;
  } else if (signs.refused) {
    text =
        "refusals of GPU memory, which a framework may survive, are among the "
        "last lines";
  } else if (!signs.milestone.empty()) {
    text = "it came as far as this: " + signs.milestone;
  } else if (worked) {
    text = "there are signs of ordinary work";
  }
  if (!signs.epoch.empty()) {
    text += (text.empty() ? "" : "; ") + signs.epoch;
  }
  if (text.empty()) {
    text = signs.no_log
               ? "nothing that was read says how the program ended"
               : "no line that a rule knows says that the run failed or "
                 "completed";
  } else {
    text += signs.ended.empty() ? ", and no line says how the run ended"
                                : "; no line shows its exit status";
  }
  if (!signs.warned.empty()) text += "; near its end " + signs.warned;
  return text;
}

std::string WhatWouldDecide(const LastSigns& signs, bool has_suspects) {
  if (signs.kernel_only) {
    return "what would decide: the program's own log";
  }
  if (signs.stacks_only) {
    return "what would decide: stacks of the same process some minutes later "
           "(the same frames speak for a hang), and those of the other ranks";
  }
  if (!signs.flights.empty()) {
    return "what would decide: dumps of the same processes some minutes later "
           "(the same numbers speak for a hang), their stacks, or the "
           "program's log";
  }
  const std::string status =
      "the exit status (`inquest record`, or the scheduler's record of the "
      "job)";
  if (!signs.ended.empty()) return "what would decide: " + status;
  if (has_suspects) {
    return "what would decide: what the program means by these lines, and " +
           status;
  }
  if (signs.no_log)
    return "what would decide: the program's log, and " + status;
  return "what would decide: " + status +
         " or the log's last lines, if more were written";
}

// The program's own words for what may have gone wrong.
void NameSuspects(bool worked, const LastSigns& signs, Verdict* verdict) {
  const OpenQuestion& open = verdict->open;
  const Evidence& loudest = open.suspects[open.loudest];
  verdict->title = "Lines look like errors, but no rule knows them";
  verdict->summary = fmt::format("line {} says \"{}\"; ", loudest.line,
                                 QuoteOf(loudest.text)) +
                     (signs.kernel_only || !signs.ended.empty()
                          ? NoEndWords(worked, signs)
                          : std::string("no line says that the run completed"));
}

std::string NoEndTitle(const LastSigns& signs) {
  if (signs.kernel_only) return "No failure that a rule knows";
  if (!signs.ended.empty()) {
    return "The command ended, and no failure is in evidence";
  }
  if (!signs.warned.empty()) {
    return "A sign of trouble near the end, and no proof of an end";
  }
  return signs.refused ? "No failure that a rule knows, and no proof of an end"
                       : "No failure in evidence, and no proof of an end";
}

}  // namespace

// A log that merely stops proves neither a clean end nor a death.
void NameNoEnd(facts::Store* store, bool worked, const std::string& survived,
               Verdict* verdict) {
  const LastSigns signs = FindLastSigns(store);
  verdict->cause = "unknown";
  if (!verdict->open.suspects.empty()) {
    NameSuspects(worked, signs, verdict);
  } else if (const std::string place = CutTraceback(store); !place.empty()) {
    verdict->title = "A Python traceback breaks off before its exception";
    verdict->summary = "the program's own frame nearest to it is " + place +
                       "; the line that names the exception is not in this log";
  } else if (signs.stacks_only) {
    verdict->title = "Stacks of a process that lived, and no sign of a hang";
    verdict->summary =
        "it lived when its stacks were taken, and one look at them does not "
        "tell whether it goes on";
  } else if (!signs.flights.empty()) {
    verdict->title =
        "Flight recorders of ranks, and no sign that one stayed away";
    verdict->summary = signs.flights;
  } else {
    verdict->title = survived.empty()
                         ? NoEndTitle(signs)
                         : "It went on after an error, and no line says how it "
                           "ended";
    verdict->summary = NoEndWords(worked, signs);
  }
  verdict->summary += survived;
  verdict->missing.push_back(
      WhatWouldDecide(signs, !verdict->open.suspects.empty()));
}

}  // namespace inquest::findings
