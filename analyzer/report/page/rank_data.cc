// SPDX-License-Identifier: Apache-2.0
// A job's ranks over time, with what fell first; ranks that left nothing, and
// ranks of which nothing tells the time, are there, too.
#include <set>

#include "analyzer/report/json_values.h"
#include "analyzer/report/page/page_data.h"
#include "analyzer/report/page/rank_strips.h"
#include "base/capped.h"

namespace inquest::report {
namespace {

using findings::Diagnosis;
using findings::Finding;
using nlohmann::json;

constexpr size_t kRanksDrawn = 2048;
constexpr size_t kRanksNamed = 64;

json Since(const std::optional<int64_t>& time, int64_t base) {
  return time ? json(SubtractCapped(*time, base)) : json(nullptr);
}

Status AddRanks(facts::Store* store, const std::string& sql, json* ranks) {
  ASSIGN_OR_RETURN(Statement row, store->db().Prepare(sql));
  for (int64_t rank = 0; row.Next(&rank);) ranks->push_back(rank);
  return row.status();
}

// The ranks that the verdict is about: its own, that of its process, those of
// its host, or those that others wait for, as their flight recorders show.
Expected<json> RanksOf(const Finding& finding, const RankStrips& strips,
                       facts::Store* store) {
  json ranks = json::array();
  if (finding.unit.rank) {
    ranks.push_back(*finding.unit.rank);
  } else if (finding.unit.process) {
    RETURN_IF_ERROR(AddRanks(
        store,
        "SELECT rank FROM process WHERE rank IS NOT NULL AND process = " +
            std::to_string(*finding.unit.process),
        &ranks));
  } else if (!finding.unit.host.empty()) {
    for (const auto& [rank, strip] : strips.ranks) {
      if (strip.host == finding.unit.host) ranks.push_back(rank);
    }
  } else if (finding.rule.starts_with("distributed.flight.")) {
    RETURN_IF_ERROR(AddRanks(store,
                             "SELECT rank FROM collective_rank WHERE role IN "
                             "('culprit', 'odd') ORDER BY rank",
                             &ranks));
  }
  return ranks;
}

// Ranks that the same is said of: of the finding's other units, and of findings
// of the same cause.
json RanksAlike(const Diagnosis& diagnosis, const Finding& root,
                const json& told) {
  std::set<int64_t> ranks;
  for (const findings::Unit& unit : root.others) {
    if (unit.rank) ranks.insert(*unit.rank);
  }
  for (const size_t other : diagnosis.verdict.alike) {
    const findings::Unit& unit = diagnosis.findings[other].unit;
    if (unit.rank) ranks.insert(*unit.rank);
  }
  for (const json& one : told) ranks.erase(one.get<int64_t>());
  return ranks;
}

Expected<json> FirstData(const PageSource& source, const RankStrips& strips) {
  const Diagnosis& diagnosis = *source.input->diagnosis;
  if (!diagnosis.verdict.finding) return json::object();
  const Finding& root = diagnosis.findings[*diagnosis.verdict.finding];
  ASSIGN_OR_RETURN(json ranks, RanksOf(root, strips, source.store));
  json alike = RanksAlike(diagnosis, root, ranks);
  return json{
      {"finding", root.id},         {"title", root.title},
      {"ranks", std::move(ranks)},  {"alike", std::move(alike)},
      {"host", root.unit.host},     {"at", Since(root.first_time, source.base)},
      {"error_ns", root.time_error}};
}

// [rank, host, from, to]; ranks of which nothing was found have no host and no
// times, and a fifth value.
json RankRows(const PageSource& source, const RankStrips& strips,
              Names* names) {
  json rows = json::array();
  for (const auto& [rank, strip] : strips.ranks) {
    rows.push_back({rank, names->Number(strip.host),
                    Since(strip.from, source.base),
                    Since(strip.to, source.base)});
  }
  for (const int64_t rank : source.input->diagnosis->job->missing) {
    if (strips.ranks.contains(rank) || rows.size() >= kRanksDrawn) continue;
    rows.push_back({rank, names->Number(""), nullptr, nullptr, 1});
  }
  return rows;
}

// [rank, begin, length or null, name, state]
json SpanRows(const RankStrips& strips, int64_t base, Names* names) {
  json rows = json::array();
  for (const RankSpan& span : strips.spans) {
    rows.push_back(
        {span.rank, SubtractCapped(span.begin, base),
         span.end ? json(SubtractCapped(*span.end, span.begin)) : json(nullptr),
         names->Number(span.name), static_cast<int>(span.state)});
  }
  return rows;
}

json MarkRows(const RankStrips& strips, int64_t base, Names* names) {
  json rows = json::array();
  for (const RankMark& mark : strips.marks) {
    rows.push_back({mark.rank, SubtractCapped(mark.time, base),
                    names->Number(mark.signature), names->Number(mark.text)});
  }
  return rows;
}

Status AddTables(const PageSource& source, json* data) {
  ASSIGN_OR_RETURN(
      (*data)["stalls"],
      Rows(source,
           "SELECT kind, coalesce(description || ' ', '') || group_name AS "
           "process_group, coalesce(optype || ' ', '') || seqnum AS operation, "
           "members, entered_ranks, missing_ranks, odd_ranks, dumpless_ranks, "
           "differs, expected, found, time - :base AS first_entered_at FROM "
           "collective_stall ORDER BY stall",
           kRanksNamed));
  ASSIGN_OR_RETURN(
      (*data)["roles"],
      Rows(source,
           "SELECT rank, role, pending, missing_from, waits_for FROM "
           "collective_rank WHERE role IN ('culprit', 'deadlock', 'odd') ORDER "
           "BY rank",
           kRanksNamed));
  return Status::Ok();
}

}  // namespace

Expected<json> RankData(const PageSource& source) {
  const Diagnosis& diagnosis = *source.input->diagnosis;
  if (!diagnosis.job) return json::object();
  ASSIGN_OR_RETURN(const RankStrips strips,
                   ReadRankStrips(source, kRanksDrawn));
  ASSIGN_OR_RETURN(json first, FirstData(source, strips));
  Names names;
  json data = {{"rows", RankRows(source, strips, &names)},
               {"spans", SpanRows(strips, source.base, &names)},
               {"marks", MarkRows(strips, source.base, &names)},
               {"first", std::move(first)},
               {"world", diagnosis.job->world},
               {"suspects", json::array()}};
  for (const findings::Suspect& one : diagnosis.job->suspects) {
    if (data["suspects"].size() == kRanksNamed) break;
    data["suspects"].push_back({one.rank, one.why});
  }
  RETURN_IF_ERROR(AddTables(source, &data));
  data["names"] = names.list();
  if (data["rows"].empty()) return json::object();
  return data;
}

}  // namespace inquest::report
