// SPDX-License-Identifier: Apache-2.0
#include "analyzer/comparison/compare_runs.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "analyzer/comparison/match_sites.h"

namespace inquest::comparison {
namespace {

constexpr int64_t kFewBytes = 1 << 20;
constexpr int64_t kNoSteps = int64_t{1} << 31;
constexpr double kNearly = 0.01;        // of a size or a number
constexpr double kNearlyInTime = 0.05;  // of a time, which always varies

// A SELECT of a name and its value.
struct Source {
  const char* id;
  const char* title;
  Unit unit;
  const char* sql;
};

// Ranks are compared by number, processes without a rank by their order.
#define WHERE_IT_RAN                                                 \
  "iif((SELECT count(*) FROM process) < 2, '', coalesce('rank ' || " \
  "p.rank, 'process ' || p.process) || ' ') || 'GPU ' || u.device || ' '"

// What leaks of a device kept after the steps that both runs have.
#define LEAKED_LATER                                                           \
  "coalesce((SELECT sum(l.bytes_per_step * max(0, l.last_step + 1 - :steps)) " \
  "FROM leak_suspect AS l WHERE l.process = u.process AND l.device = "         \
  "u.device), 0)"

constexpr Source kSources[] = {
    {"versions", "Versions", Unit::kText,
     "SELECT what, group_concat(version, ', ') FROM (SELECT DISTINCT what, "
     "version FROM version_seen ORDER BY 1, 2) GROUP BY what UNION ALL "
     "SELECT 'package ' || name, group_concat(version, ', ') FROM (SELECT "
     "DISTINCT name, version FROM package ORDER BY 1, 2) GROUP BY name UNION "
     "ALL SELECT name, group_concat(version, ', ') FROM (SELECT DISTINCT "
     "name, version FROM library WHERE version IS NOT NULL ORDER BY 1, 2) "
     "GROUP BY name"},
    {"environment", "Environment", Unit::kText,
     "SELECT name, group_concat(value, ', ') FROM (SELECT DISTINCT name, "
     "value FROM environment WHERE name NOT LIKE 'INQUEST\\_%' ESCAPE '\\' "
     "AND coalesce(value, '') NOT LIKE '%libinquest%' ORDER BY 1, 2) GROUP BY "
     "name"},
    {"devices", "Devices", Unit::kText,
     "SELECT " WHERE_IT_RAN
     " || 'model', u.gpu FROM device AS u JOIN process AS p USING (process) "
     "UNION ALL SELECT " WHERE_IT_RAN
     " || 'driver', u.driver FROM device AS u JOIN process AS p USING "
     "(process) WHERE u.driver IS NOT NULL UNION ALL SELECT 'ranks', "
     "count(*) FROM process HAVING count(*) > 0"},
    {"devices", "Devices", Unit::kBytes,
     "SELECT " WHERE_IT_RAN
     " || 'memory', u.total_bytes FROM device AS u JOIN process AS p USING "
     "(process)"},
    {"memory", "Memory", Unit::kBytes,
     "SELECT " WHERE_IT_RAN " || 'peak', coalesce(u.framework_peak_bytes, "
     "u.peak_bytes) - " LEAKED_LATER " FROM "
     "device_usage AS u JOIN process AS p USING (process) WHERE u.device >= 0 "
     "UNION ALL SELECT " WHERE_IT_RAN
     " || 'at the end', coalesce(u.framework_live_bytes, u.live_bytes) "
     "- " LEAKED_LATER " FROM "
     "device_usage AS u JOIN process AS p USING (process) WHERE u.device >= 0 "
     "UNION ALL SELECT " WHERE_IT_RAN
     " || 'held by the pool', u.peak_bytes FROM device_usage AS u JOIN "
     "process AS p USING (process) WHERE u.device >= 0 AND "
     "u.framework_peak_bytes IS NOT NULL UNION ALL SELECT " WHERE_IT_RAN
     " || 'of others', max(u.other_bytes) FROM device_ledger AS u JOIN "
     "process AS p USING (process) WHERE u.other_bytes > 0 GROUP BY "
     "u.process, u.device"},
    {"memory", "Memory", Unit::kCount,
     "SELECT " WHERE_IT_RAN
     " || 'requests refused', u.failed FROM device_usage AS u JOIN process "
     "AS p USING (process) WHERE u.failed > 0"},
    {"sites", "Sites, by their peak", Unit::kBytes,
     "SELECT chain, sum(peak_bytes - coalesce((SELECT l.bytes_per_step * "
     "max(0, l.last_step + 1 - :steps) FROM leak_suspect AS l WHERE l.site = "
     "s.site), 0)) FROM allocation_site AS s WHERE device >= 0 AND peak_bytes "
     "> 0 GROUP BY chain"},
    {"growth", "Kept each step", Unit::kBytes,
     "SELECT s.chain, sum(l.bytes_per_step) FROM leak_suspect AS l JOIN "
     "allocation_site AS s USING (site) GROUP BY s.chain"},
    {"engines", "cuDNN's engines", Unit::kText,
     "SELECT function || ' ' || coalesce(operation, ''), "
     "group_concat(choice, '; ') FROM (SELECT DISTINCT function, operation, "
     "iif(function LIKE 'cudnnBackend%', 'engine ' || algorithm || "
     "coalesce(' (' || knobs || ')', ''), 'algorithm ' || algorithm) AS "
     "choice FROM cudnn_interval WHERE operation_id <> 0 AND calls > failed "
     "ORDER BY 1, 2, 3) GROUP BY 1"},
    {"steps", "Steps", Unit::kCount,
     "SELECT 'whole steps', count(*) FROM step WHERE end_time IS NOT NULL "
     "HAVING count(*) > 0"},
    {"steps", "Steps", Unit::kNanoseconds,
     "SELECT 'mean step', CAST(avg(end_time - begin_time) AS INTEGER) FROM "
     "step WHERE end_time IS NOT NULL HAVING count(*) > 0"},
    {"errors", "Failed calls", Unit::kCount,
     "SELECT function || ': ' || name, count(*) FROM api_error GROUP BY 1"}};

#undef WHERE_IT_RAN
#undef LEAKED_LATER

constexpr std::string_view kSteps = ":steps";

using Values = std::map<std::string, Value>;

template <class T>
Status ReadInto(T Value::*member, Statement row, Values* values) {
  std::string name;
  for (std::optional<T> value; row.Next(&name, &value);) {
    if (value) (*values)[name].*member = *value;
  }
  return row.status();
}

Expected<Values> Read(facts::Store* store, const Source& source,
                      int64_t steps) {
  Values values;
  std::string sql = source.sql;
  for (size_t at = sql.find(kSteps); at != sql.npos; at = sql.find(kSteps)) {
    sql.replace(at, kSteps.size(), std::to_string(steps));
  }
  ASSIGN_OR_RETURN(Statement row, store->db().Prepare(sql));
  RETURN_IF_ERROR(source.unit == Unit::kText
                      ? ReadInto(&Value::text, std::move(row), &values)
                      : ReadInto(&Value::number, std::move(row), &values));
  return values;
}

bool Alike(Unit unit, const Value& good, const Value& bad) {
  if (unit == Unit::kText) return good.text == bad.text;
  const auto apart = std::abs(static_cast<double>(bad.number) -
                              static_cast<double>(good.number));
  const auto larger = static_cast<double>(std::max(good.number, bad.number));
  switch (unit) {
    case Unit::kBytes:
      return apart < kFewBytes || apart <= kNearly * larger;
    case Unit::kNanoseconds:
      return apart <= kNearlyInTime * larger;
    default:
      return apart == 0;
  }
}

// What only one run has counts as a difference from 0.
bool TooSmallAlone(Unit unit, const Value& value) {
  return unit == Unit::kBytes && value.number < kFewBytes;
}

void Add(const Source& source, const Values& good, const Values& bad,
         Section* section) {
  const auto one_sided = [&](const std::string& what, const Value& value,
                             std::optional<Value> Difference::*side) {
    if (TooSmallAlone(source.unit, value)) return;
    Difference difference{what, source.unit, {}, {}};
    difference.*side = value;
    section->differences.push_back(std::move(difference));
  };
  for (const auto& [what, value] : good) {
    const auto other = bad.find(what);
    if (other == bad.end()) {
      one_sided(what, value, &Difference::good);
    } else if (Alike(source.unit, value, other->second)) {
      ++section->same;
    } else {
      section->differences.push_back({what, source.unit, value, other->second});
    }
  }
  for (const auto& [what, value] : bad) {
    if (!good.contains(what)) one_sided(what, value, &Difference::bad);
  }
}

std::vector<std::string> NamesOf(const Values& values) {
  std::vector<std::string> names;
  for (const auto& [name, value] : values) names.push_back(name);
  return names;
}

// Gives the sites of the good run the names that they have in the bad one, and
// returns their former names.
std::map<std::string, std::string> FollowMoves(Values* good,
                                               const Values& bad) {
  std::map<std::string, std::string> moved;  // new name, former one
  Values followed;
  std::map<std::string, std::string> name_of;
  for (const auto& [before, after] : MatchSites(NamesOf(*good), NamesOf(bad))) {
    name_of[before] = after;
    if (before != after) moved[after] = before;
  }
  for (const auto& [name, value] : *good) {
    const auto found = name_of.find(name);
    if (found != name_of.end()) {
      followed[found->second] = value;
    } else if (!bad.contains(name)) {
      followed[name] = value;
    } else {
      // Its name is another's now.
      followed[name + " "] = value;
    }
  }
  *good = std::move(followed);
  return moved;
}

void NoteMoves(const std::map<std::string, std::string>& moved,
               Section* section) {
  auto left = static_cast<int64_t>(moved.size());
  for (Difference& one : section->differences) {
    const auto found = moved.find(one.what);
    if (found == moved.end()) continue;
    one.moved_from = found->second;
    --left;
  }
  section->moved = std::max<int64_t>(0, left);
}

// How many whole steps both have; a great many if one of them has none.
Expected<int64_t> SharedSteps(facts::Store* good, facts::Store* bad,
                              bool* differ) {
  int64_t steps[2] = {0, 0};
  for (const int which : {0, 1}) {
    facts::Store* store = which == 0 ? good : bad;
    ASSIGN_OR_RETURN(steps[which],
                     store->db().QueryInt(
                         "SELECT coalesce(max(n), 0) FROM (SELECT count(*) AS "
                         "n FROM step WHERE end_time IS NOT NULL GROUP BY "
                         "process)"));
  }
  *differ = steps[0] > 0 && steps[1] > 0 && steps[0] != steps[1];
  return *differ ? std::min(steps[0], steps[1]) : kNoSteps;
}

}  // namespace

int64_t Difference::growth() const {
  return (bad ? bad->number : 0) - (good ? good->number : 0);
}

Expected<std::vector<Section>> Compare(facts::Store* good, facts::Store* bad) {
  std::vector<Section> sections;
  bool differ = false;
  ASSIGN_OR_RETURN(const int64_t steps, SharedSteps(good, bad, &differ));
  for (const Source& source : kSources) {
    ASSIGN_OR_RETURN(Values of_good, Read(good, source, steps));
    ASSIGN_OR_RETURN(const Values of_bad, Read(bad, source, steps));
    const std::string_view id = source.id;
    if (sections.empty() || sections.back().id != id) {
      sections.push_back({source.id, source.title, {}, 0, 0, {}});
    }
    Section& section = sections.back();
    const bool scaled =
        std::string_view(source.sql).find(kSteps) != std::string_view::npos;
    if (differ && scaled) section.at_steps = steps;
    if (id != "sites" && id != "growth") {
      Add(source, of_good, of_bad, &section);
      continue;
    }
    const auto moved = FollowMoves(&of_good, of_bad);
    Add(source, of_good, of_bad, &section);
    NoteMoves(moved, &section);
  }
  for (Section& section : sections) {
    std::stable_sort(section.differences.begin(), section.differences.end(),
                     [](const Difference& a, const Difference& b) {
                       return a.growth() > b.growth();
                     });
  }
  return sections;
}

}  // namespace inquest::comparison
