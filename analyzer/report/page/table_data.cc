// SPDX-License-Identifier: Apache-2.0
// What is shown as tables: the run and its processes, what memory was for,
// cuDNN, versions, what was recorded from when to when.
#include "analyzer/report/page/page_data.h"

namespace inquest::report {
namespace {

using nlohmann::json;

constexpr size_t kRowsShown = 400;

struct TableOfPage {
  const char* name;
  const char* sql;
};

// Names of columns decide how the page shows them (page_data.h).
constexpr TableOfPage kTables[] = {
    {"run",
     "SELECT directory, command, host, start_time - :base AS start_at, "
     "end_time - :base AS end_at, exit_code, signal, state FROM run"},
    {"processes",
     "SELECT process, nullif(pid, 0) AS pid, rank, host, command, start_time - "
     ":base AS start_at, end_time - :base AS last_sign_at, state, clean_end "
     "FROM "
     "process ORDER BY process"},
    {"ending", "SELECT died, finished, alive FROM ending"},
    {"devices",
     "SELECT process, device, gpu, total_bytes, compute_capability, driver, "
     "cuda_driver AS cuda_of_driver, cuda_runtime FROM device ORDER BY 1, 2"},
    {"categories",
     "SELECT process, device, layer, category, bytes AS held_bytes, blocks, "
     "told_by FROM memory_category ORDER BY 1, 2, 3, bytes DESC"},
    {"cudnn_stat",
     "SELECT process, function, result, sum(calls) AS calls, sum(total_ns) AS "
     "total_ns, max(max_ns) AS longest_ns FROM cudnn_stat GROUP BY 1, 2, 3 "
     "ORDER BY result <> 0 DESC, total_ns DESC"},
    {"cudnn_failures",
     "SELECT c.process, c.time - :base AS at, c.function, c.result, "
     "coalesce(c.operation, '') AS operation, "
     "coalesce(iif(json_valid(c.detail), "
     "c.detail ->> '$.workspace_bytes', NULL), '') AS workspace_bytes, "
     // Of several devices it is not known which one it was.
     "(SELECT m.free_bytes FROM device_memory AS m WHERE m.process = c.process "
     "AND m.time >= c.time AND 1 = (SELECT count(DISTINCT device) FROM "
     "device_memory AS d WHERE d.process = c.process) ORDER BY m.time LIMIT 1) "
     "AS free_bytes, e.name AS status FROM cudnn_call AS c LEFT JOIN (SELECT "
     "process, result, "
     "max(name) AS name FROM api_error WHERE api = 'cudnn' GROUP BY 1, 2) AS e "
     "ON e.process = c.process AND e.result = c.result WHERE c.result <> 0 "
     "ORDER BY c.process, c.id DESC"},
    {"cudnn_layers",
     "SELECT process, function, operation, algorithm, knobs, workspace_bytes, "
     "workspace_asked AS asked_bytes, sum(calls) AS calls, sum(failed) AS "
     "failed, sum(total_ns) AS total_ns FROM cudnn_interval GROUP BY process, "
     "function, operation_id, algorithm, knobs, workspace_bytes, "
     "workspace_asked ORDER BY failed DESC, workspace_bytes DESC, calls DESC"},
    {"cudnn_switches",
     "SELECT process, time - :base AS at, function, operation, choice_before, "
     "choice, workspace_before AS workspace_before_bytes, workspace_bytes, "
     "host_ns_before, host_ns FROM cudnn_switch ORDER BY time"},
    {"library_checks",
     "SELECT process, name, function, result, status FROM library_check "
     "ORDER BY result <> 0 DESC, process, name"},
    {"versions",
     "SELECT DISTINCT CASE what WHEN 'driver_cuda' THEN 'CUDA that the driver "
     "serves' WHEN 'cuda' THEN 'CUDA of the program' WHEN 'capability' THEN "
     "'compute capability' ELSE what END AS what, version, coalesce('process ' "
     "|| process, "
     "(SELECT path FROM log_source AS l WHERE l.source = v.source)) AS "
     "seen_in FROM version_seen AS v ORDER BY what, version, seen_in"},
    {"packages",
     "SELECT DISTINCT name, version, cuda, cudnn, path FROM package ORDER BY "
     "name, version"},
    {"libraries",
     "SELECT name, version, compiled_version AS built_against, version_source, "
     "path, count(DISTINCT process) AS processes FROM library WHERE version "
     "IS NOT NULL OR compiled_version IS NOT NULL GROUP BY 1, 2, 3, 4, 5 "
     "ORDER BY name, version"},
    {"environment",
     "SELECT name, value, count(*) AS processes FROM environment GROUP BY 1, 2 "
     "ORDER BY 1, 2"},
    {"coverage",
     // Of many logs that were read there is one row.
     "SELECT source, process, min(from_time) - :base AS from_at, max(to_time) "
     "- :base AS to_at, state, iif(count(*) = 1, note, count(*) || ' logs') AS "
     "note FROM (SELECT *, row_number() OVER () AS row, sum(source = 'log') "
     "OVER () AS logs FROM coverage) GROUP BY iif(source = 'log' AND state = "
     "'on' AND logs > 4, 0, row) ORDER BY process, source, from_time"},
};

}  // namespace

Expected<json> TableData(const PageSource& source) {
  json tables = json::object();
  ASSIGN_OR_RETURN(json fits, FitData(source));
  if (!fits.empty()) tables["fits"] = std::move(fits);
  for (const TableOfPage& table : kTables) {
    ASSIGN_OR_RETURN(json rows, Rows(source, table.sql, kRowsShown));
    if (!rows.empty()) tables[table.name] = std::move(rows);
  }
  return tables;
}

}  // namespace inquest::report
