// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/collect/stages.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace inquest::findings {
namespace {

// A bar is told of the failure by its traceback and notes at most.
constexpr int64_t kMostLinesBetween = 200;
constexpr int64_t kWhole = 100;  // percent

// A line that tells a stage, or that work goes on: then no stage.
struct Sign {
  int64_t line = 0;
  std::optional<int64_t> rank, percent;
  std::optional<std::string> stage;
};

using Signs = std::map<int64_t, std::vector<Sign>>;  // by source, in order

Expected<Signs> ReadSigns(facts::Store* store) {
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare(
          "SELECT source, line, rank, max(figures ->> '$.percent'), "
          "max(figures ->> '$.stage') FROM log_event WHERE role = 'progress' "
          "OR signature GLOB 'progress.stage.*' GROUP BY source, line, rank "
          "ORDER BY source, line"));
  Signs signs;
  int64_t source = 0;
  for (Sign one;
       row.Next(&source, &one.line, &one.rank, &one.percent, &one.stage);) {
    signs[source].push_back(one);
  }
  RETURN_IF_ERROR(row.status());
  return signs;
}

bool MayBeOfRank(const Sign& sign, const std::optional<int64_t>& rank) {
  return !sign.rank || !rank || sign.rank == rank;
}

// The last sign above the line or in it (a bar has no end of line), of the same
// rank as far as both are known.
const Sign* LastBefore(const std::vector<Sign>& signs, const Evidence& line) {
  const auto end = std::ranges::partition_point(
      signs, [&](const Sign& sign) { return sign.line <= line.line; });
  for (auto at = end; at != signs.begin();) {
    --at;
    if (at->line < line.line - kMostLinesBetween) return nullptr;
    if (MayBeOfRank(*at, line.rank)) return &*at;
  }
  return nullptr;
}

const Evidence* FirstLine(const Finding& finding) {
  const Evidence* first = nullptr;
  for (const Evidence& one : finding.evidence) {
    if (one.line == 0) continue;
    if (first == nullptr ||
        (one.source == first->source && one.line < first->line)) {
      first = &one;
    }
  }
  return first;
}

struct Phase {
  int64_t rank = 0;
  std::string phase;
};

using Phases = std::map<int64_t, std::vector<Phase>>;  // by source

Expected<Phases> ReadPhases(facts::Store* store) {
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare("SELECT source, rank, coalesce(phase, '') FROM "
                          "store_traceback WHERE rank IS NOT NULL"));
  Phases phases;
  int64_t source = 0;
  for (Phase one; row.Next(&source, &one.rank, &one.phase);) {
    phases[source].push_back(one);
  }
  RETURN_IF_ERROR(row.status());
  return phases;
}

// The one that all ranks with tracebacks were in; ranks run the same program.
std::string SharedPhase(const std::vector<Phase>& phases, int64_t of) {
  const bool own = std::ranges::any_of(
      phases, [=](const Phase& one) { return one.rank == of; });
  const bool same = std::ranges::all_of(phases, [&](const Phase& one) {
    return one.phase == phases.front().phase;
  });
  return own || !same ? std::string() : phases.front().phase;
}

}  // namespace

Status NameStages(facts::Store* store, Diagnosis* diagnosis) {
  ASSIGN_OR_RETURN(const Signs signs, ReadSigns(store));
  ASSIGN_OR_RETURN(const Phases phases, ReadPhases(store));
  for (Finding& finding : diagnosis->findings) {
    const Evidence* line = FirstLine(finding);
    if (line == nullptr || finding.figures.Contains("phase")) continue;
    const auto others = phases.find(line->source);
    if (finding.unit.rank && others != phases.end()) {
      std::string phase = SharedPhase(others->second, *finding.unit.rank);
      if (!phase.empty()) finding.figures["phase"] = std::move(phase);
    }
    const auto source = signs.find(line->source);
    if (source == signs.end() || finding.figures.Contains("phase")) continue;
    const Sign* last = LastBefore(source->second, *line);
    if (last == nullptr || !last->stage) continue;
    if (last->percent.value_or(0) >= kWhole) continue;
    finding.figures["phase"] = *last->stage;
  }
  return Status::Ok();
}

}  // namespace inquest::findings
