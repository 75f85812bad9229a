// SPDX-License-Identifier: Apache-2.0
#include "analyzer/comparison/compare_runs.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace inquest::comparison {
namespace {

constexpr int64_t kFewBytes = 1 << 20;
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
     "value FROM environment ORDER BY 1, 2) GROUP BY name"},
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
     "SELECT " WHERE_IT_RAN
     " || 'peak', coalesce(u.framework_peak_bytes, u.peak_bytes) FROM "
     "device_usage AS u JOIN process AS p USING (process) WHERE u.device >= 0 "
     "UNION ALL SELECT " WHERE_IT_RAN
     " || 'at the end', coalesce(u.framework_live_bytes, u.live_bytes) FROM "
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
     "SELECT chain, sum(peak_bytes) FROM allocation_site WHERE device >= 0 "
     "AND peak_bytes > 0 GROUP BY chain"},
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

using Values = std::map<std::string, Value>;

template <class T>
Status ReadInto(T Value::*member, Statement row, Values* values) {
  std::string name;
  for (std::optional<T> value; row.Next(&name, &value);) {
    if (value) (*values)[name].*member = *value;
  }
  return row.status();
}

Expected<Values> Read(facts::Store* store, const Source& source) {
  Values values;
  ASSIGN_OR_RETURN(Statement row, store->db().Prepare(source.sql));
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

}  // namespace

int64_t Difference::growth() const {
  return (bad ? bad->number : 0) - (good ? good->number : 0);
}

Expected<std::vector<Section>> Compare(facts::Store* good, facts::Store* bad) {
  std::vector<Section> sections;
  for (const Source& source : kSources) {
    ASSIGN_OR_RETURN(const Values of_good, Read(good, source));
    ASSIGN_OR_RETURN(const Values of_bad, Read(bad, source));
    if (sections.empty() || sections.back().id != source.id) {
      sections.push_back({source.id, source.title, {}, 0});
    }
    Add(source, of_good, of_bad, &sections.back());
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
