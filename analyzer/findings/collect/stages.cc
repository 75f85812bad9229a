// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/collect/stages.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
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
          "coalesce(max(figures ->> '$.stage'), max(CASE WHEN role = 'finish' "
          "AND figures ->> '$.only_status' IS NULL THEN 'worked' END)) "
          "FROM log_event WHERE role IN ('progress', 'finish') OR signature "
          "GLOB 'progress.stage.*' GROUP BY source, line, rank "
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

// The last sign above the line or in it (a bar has no end of line), of the same
// rank as far as both are known.
const Sign* LastBefore(const std::vector<Sign>& signs, const Evidence& line) {
  const auto end = std::ranges::partition_point(
      signs, [&](const Sign& sign) { return sign.line <= line.line; });
  for (auto at = end; at != signs.begin();) {
    --at;
    if (at->line < line.line - kMostLinesBetween) return nullptr;
    if (MayBeOne(at->rank, line.rank)) return &*at;
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

// The ranks with a traceback in a log, and the phase that all of them were in;
// empty if they differ. Ranks run the same program.
struct Traced {
  std::set<int64_t> ranks;
  std::string phase;
};

using TracedBySource = std::map<int64_t, Traced>;

Expected<TracedBySource> ReadTraced(facts::Store* store) {
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare("SELECT source, rank, coalesce(phase, '') FROM "
                          "store_traceback WHERE rank IS NOT NULL"));
  TracedBySource all;
  int64_t source = 0, rank = 0;
  for (std::string phase; row.Next(&source, &rank, &phase);) {
    Traced& traced = all[source];
    if (traced.ranks.empty()) traced.phase = phase;
    if (traced.phase != phase) traced.phase.clear();
    traced.ranks.insert(rank);
  }
  RETURN_IF_ERROR(row.status());
  return all;
}

}  // namespace

Status NameStages(facts::Store* store, Diagnosis* diagnosis) {
  ASSIGN_OR_RETURN(const Signs signs, ReadSigns(store));
  ASSIGN_OR_RETURN(const TracedBySource traced, ReadTraced(store));
  for (Finding& finding : diagnosis->findings) {
    const Evidence* line = FirstLine(finding);
    if (line == nullptr || finding.figures.Contains("phase")) continue;
    const auto others = traced.find(line->source);
    if (finding.unit.rank && others != traced.end() &&
        !others->second.phase.empty() &&
        !others->second.ranks.contains(*finding.unit.rank)) {
      finding.figures["phase"] = others->second.phase;
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
