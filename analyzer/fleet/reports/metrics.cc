// SPDX-License-Identifier: Apache-2.0
#include "analyzer/fleet/reports/metrics.h"

#include <fmt/format.h>

#include <vector>

namespace inquest::fleet {
namespace {

struct Family {
  const char* name;
  const char* help;
  const char* sql;  // labels by the columns' names, the value last
};

// A metric without rows is still announced. `job` is Prometheus's own label.
constexpr Family kFamilies[] = {
    {"inquest_runs_total", "Runs by cause of death and node; none: healthy.",
     "SELECT cause, coalesce(host, 'unknown') AS node, count(*) AS value "
     "FROM fleet_death GROUP BY cause, host ORDER BY cause, node"},
    {"inquest_gpu_hours_total",
     "GPU-hours of runs that died, whole lives, where both are known.",
     "SELECT cause, coalesce(host, 'unknown') AS node, "
     "sum(gpu_hours) AS value FROM fleet_death "
     "WHERE cause <> 'none' AND gpu_hours IS NOT NULL "
     "GROUP BY cause, host ORDER BY cause, node"},
    {"inquest_runs_without_gpu_hours_total",
     "Runs that died with GPU count or duration unknown.",
     "SELECT cause, count(*) AS value FROM fleet_death "
     "WHERE cause <> 'none' AND gpu_hours IS NULL "
     "GROUP BY cause ORDER BY cause"},
    {"inquest_gpu_faults_total", "Runs in which this GPU was the root.",
     "SELECT gpu, coalesce(host, 'unknown') AS node, cause, "
     "count(*) AS value FROM fleet_death WHERE gpu IS NOT NULL "
     "AND (cause LIKE 'hardware/%' OR cause LIKE 'device/%') "
     "GROUP BY gpu, host, cause ORDER BY gpu, node, cause"},
    {"inquest_job_deaths_total", "Runs that died, of the last jobs.",
     "SELECT job AS job_id, cause, coalesce(host, 'unknown') AS node, "
     "count(*) AS value FROM fleet_death WHERE cause <> 'none' "
     "AND job IN (SELECT job FROM fleet_run WHERE job IS NOT NULL "
     "GROUP BY job ORDER BY max(coalesce(start_time, 0)) DESC, job DESC LIMIT "
     "$1) "
     "GROUP BY job, cause, host ORDER BY job, cause, node"}};

std::string Escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    out += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return out;
}

std::string NumberText(const Field& value) {
  if (const auto* whole = std::get_if<int64_t>(&value)) {
    return std::to_string(*whole);
  }
  const auto* real = std::get_if<double>(&value);
  return real == nullptr ? "0" : fmt::format("{:.6g}", *real);
}

std::string Line(const char* name, const Rows& rows, const Fields& row) {
  std::string labels;
  for (size_t i = 0; i + 1 < row.size(); ++i) {
    const auto* text = std::get_if<std::string>(&row[i]);
    labels +=
        fmt::format("{}{}=\"{}\"", labels.empty() ? "" : ",", rows.columns[i],
                    text == nullptr ? "unknown" : Escaped(*text));
  }
  return fmt::format("{}{{{}}} {}\n", name, labels, NumberText(row.back()));
}

}  // namespace

Expected<std::string> Metrics(FleetDatabase* db, int64_t jobs) {
  std::string text;
  for (const Family& family : kFamilies) {
    const std::string sql = family.sql;
    const bool limited = sql.find("$1") != sql.npos;
    ASSIGN_OR_RETURN(const Rows rows,
                     db->Query(sql, limited ? Fields{jobs} : Fields{}));
    text += fmt::format("# HELP {0} {1}\n# TYPE {0} counter\n", family.name,
                        family.help);
    for (const Fields& row : rows.rows) text += Line(family.name, rows, row);
  }
  return text;
}

}  // namespace inquest::fleet
