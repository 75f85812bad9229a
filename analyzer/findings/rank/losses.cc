// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/rank/losses.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analyzer/findings/rank/gaps.h"
#include "base/capped.h"
#include "base/units.h"

namespace inquest::findings {
namespace {

constexpr std::string_view kMemoryEvent = "memory_event";
constexpr int64_t kTolerated = 100;  // one in so many

int64_t MemoryEventsIn(const std::vector<Loss>& losses) {
  int64_t count = 0;
  for (const Loss& loss : losses) {
    if (!loss.kind.starts_with(kMemoryEvent)) continue;
    count = AddCapped(count, loss.count);
  }
  return count;
}

rules::Confidence Lower(rules::Confidence confidence) {
  return confidence == rules::Confidence::kConfirmed
             ? rules::Confidence::kProbable
             : rules::Confidence::kPossible;
}

bool RestsOnTraces(const Diagnosis& diagnosis) {
  const auto& root = diagnosis.verdict.finding;
  return root && diagnosis.findings[*root].rule.starts_with("trace.");
}

Expected<bool> AreManyLost(facts::Store* store,
                           const std::vector<Loss>& losses) {
  const int64_t lost = MemoryEventsIn(losses);
  if (lost == 0) return false;
  ASSIGN_OR_RETURN(const int64_t kept,
                   store->db().QueryInt("SELECT sum(allocations + frees) FROM "
                                        "store_device_usage"));
  return lost > kept / kTolerated;
}

bool AreLong(const std::vector<Gap>& gaps) {
  return std::any_of(gaps.begin(), gaps.end(), [](const Gap& gap) {
    return IsAtEnd(gap) ||
           (!gap.at_beginning && gap.missed_ns > gap.lived_ns / kTolerated);
  });
}

std::string Words(int64_t events, int64_t others) {
  std::string text;
  if (events > 0) {
    text = FormatCount(events) + " memory event" + (events == 1 ? "" : "s");
  }
  if (others > 0) {
    text += text.empty() ? "" : " and ";
    text += FormatCount(others) + (events > 0 ? " other" : "") + " record" +
            (others == 1 ? "" : "s");
  }
  return text;
}

// What rests on the rest. A torn record may have been one of memory.
const char* OfWhat(const std::vector<Loss>& losses) {
  const auto all = [&](std::string_view kind) {
    return std::all_of(losses.begin(), losses.end(), [&](const Loss& one) {
      return one.kind.starts_with(kind);
    });
  };
  return all("step") ? "steps" : all("cudnn") ? "cuDNN's calls" : "memory";
}

Expected<std::vector<Loss>> FindLosses(facts::Store* store) {
  std::vector<Loss> losses;
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare("SELECT process, kind, count, note FROM loss WHERE "
                          "count > 0 AND kind NOT LIKE '%older)' AND kind <> "
                          "'cut' ORDER BY count DESC, process, kind"));
  Loss loss;
  while (row.Next(&loss.process, &loss.kind, &loss.count, &loss.note)) {
    losses.push_back(loss);
  }
  RETURN_IF_ERROR(row.status());
  return losses;
}

}  // namespace

Status FindMissing(facts::Store* store, Diagnosis* diagnosis) {
  ASSIGN_OR_RETURN(diagnosis->losses, FindLosses(store));
  ASSIGN_OR_RETURN(diagnosis->gaps, FindGaps(store));
  return Status::Ok();
}

std::string LossSentence(const std::vector<Loss>& losses) {
  if (losses.empty()) return {};
  const int64_t events = MemoryEventsIn(losses);
  int64_t all = 0;
  std::set<int64_t> processes;
  for (const Loss& loss : losses) {
    all = AddCapped(all, loss.count);
    processes.insert(loss.process);
  }
  return fmt::format(
      "{} are not in the trace{} ({}): what is said of {} rests on the rest",
      Words(events, all - events),
      processes.size() > 1 ? fmt::format("s of {} processes", processes.size())
                           : std::string(),
      losses.front().note, OfWhat(losses));
}

std::vector<std::string> WhatIsMissing(const Diagnosis& diagnosis) {
  std::vector<std::string> sentences{
      LossSentence(diagnosis.losses), BeginningSentence(diagnosis.gaps),
      GapSentence(diagnosis.gaps), EndSentence(diagnosis.gaps)};
  std::erase(sentences, "");
  return sentences;
}

Status WeighLosses(facts::Store* store, Diagnosis* diagnosis) {
  RETURN_IF_ERROR(FindMissing(store, diagnosis));
  // That nothing failed is told by what was recorded, too. Gaps are no doubt of
  // it: they are the program's own profiler, mostly.
  const bool none = diagnosis->verdict.cause == "none";
  if (!none && !RestsOnTraces(*diagnosis)) return Status::Ok();
  ASSIGN_OR_RETURN(const bool many, AreManyLost(store, diagnosis->losses));
  if (!many && (none || !AreLong(diagnosis->gaps))) return Status::Ok();
  Verdict& verdict = diagnosis->verdict;
  verdict.confidence = Lower(verdict.confidence);
  return Status::Ok();
}

}  // namespace inquest::findings
