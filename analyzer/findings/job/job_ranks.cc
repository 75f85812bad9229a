// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/job/job_ranks.h"

#include <algorithm>
#include <iterator>

namespace inquest::findings {
namespace {

// A line may name another rank than its own, so in a log of several ranks only
// lines that name one by their prefix count.
Expected<Ranks> RanksSeen(facts::Store* store) {
  return SelectRanks(
      store,
      "SELECT rank FROM store_log_source WHERE rank IS NOT NULL UNION SELECT "
      "e.rank FROM store_log_event AS e JOIN store_log_source AS s USING "
      "(source) WHERE e.rank IS NOT NULL AND s.rank IS NULL AND (e.role = "
      "'progress' OR e.fact = 'collective' OR e.figures ->> '$.rank' IS NULL) "
      "UNION SELECT rank FROM store_rank_place UNION SELECT rank FROM "
      "store_collective_rank ORDER BY 1");
}

// As all logs and traces say, or only those that are of one rank each.
Status FillWorld(facts::Store* store, int64_t* all, int64_t* of_ranks) {
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare(
          "WITH said(world, of_rank) AS (SELECT world, rank IS NOT NULL FROM "
          "store_log_source UNION ALL SELECT world_size, 1 FROM process UNION "
          "ALL SELECT json_array_length(ranks), 1 FROM collective_group WHERE "
          "(description = 'default_pg' OR group_name = '0') AND "
          "json_valid(ranks)) "
          "SELECT coalesce(max(world), 0), coalesce(max(iif(of_rank, world, "
          "0)), 0) FROM said"));
  row.Next(all, of_ranks);
  return row.status();
}

}  // namespace

Expected<Ranks> SelectRanks(facts::Store* store, const std::string& sql) {
  Ranks ranks;
  ASSIGN_OR_RETURN(Statement row, store->db().Prepare(sql));
  while (row.Step()) ranks.push_back(row.Int(0));
  RETURN_IF_ERROR(row.status());
  return ranks;
}

Ranks Without(const Ranks& all, const Ranks& some) {
  Ranks rest;
  std::ranges::set_difference(all, some, std::back_inserter(rest));
  return rest;
}

Ranks UpTo(int64_t count) {
  Ranks ranks(static_cast<size_t>(std::clamp<int64_t>(count, 0, 1'000'000)));
  for (size_t i = 0; i < ranks.size(); ++i) ranks[i] = static_cast<int64_t>(i);
  return ranks;
}

Expected<int64_t> RanksWithOwnFiles(facts::Store* store) {
  return store->db().QueryInt(
      "SELECT (SELECT count(DISTINCT rank) FROM store_log_source) + (SELECT "
      "count(DISTINCT rank) FROM process)");
}

Status FillRanks(facts::Store* store, int64_t files, Job* job) {
  ASSIGN_OR_RETURN(job->ranks, RanksSeen(store));
  int64_t world = 0;
  RETURN_IF_ERROR(FillWorld(store, &job->world, &world));
  if (job->ranks.empty()) return Status::Ok();
  const int64_t seen = files > 1 ? job->ranks.back() + 1 : 0;
  job->missing = Without(UpTo(std::max(world, seen)), job->ranks);
  ASSIGN_OR_RETURN(
      job->cut, SelectRanks(store,
                            "SELECT DISTINCT rank FROM store_log_source WHERE "
                            "rank IS NOT NULL AND truncated = 1 ORDER BY 1"));
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare("SELECT host FROM store_rank_place WHERE host IS NOT "
                          "NULL UNION SELECT host FROM store_log_source WHERE "
                          "host IS NOT NULL ORDER BY 1"));
  while (row.Step()) job->hosts.emplace_back(row.Text(0));
  return row.status();
}

Status AddNamedRanks(facts::Store* store, int64_t files, Job* job) {
  if (files > 1) return Status::Ok();
  ASSIGN_OR_RETURN(
      const Ranks named,
      SelectRanks(store,
                  "SELECT DISTINCT figures ->> '$.other_rank' FROM "
                  "store_log_event WHERE role IN ('cause', 'symptom') AND "
                  "typeof(figures ->> '$.other_rank') = 'integer' AND figures "
                  "->> '$.other_rank' >= 0 ORDER BY 1"));
  Ranks all;
  std::ranges::set_union(job->ranks, named, std::back_inserter(all));
  job->ranks = std::move(all);
  return Status::Ok();
}

}  // namespace inquest::findings
