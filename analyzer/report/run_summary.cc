// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/run_summary.h"

#include <re2/re2.h>

#include "base/content_hash.h"
#include "base/rows.h"

namespace inquest::report {
namespace {

// Adds each row of the query, as text, to the hash; how many there were.
Expected<int64_t> HashRows(Database* db, std::string_view sql,
                           ContentHash* hash) {
  ASSIGN_OR_RETURN(Statement rows, db->Prepare(sql));
  int64_t count = 0;
  for (; rows.Step(); ++count) {
    for (int i = 0; i < rows.columns(); ++i) hash->Add(rows.Text(i));
  }
  RETURN_IF_ERROR(rows.status());
  return count;
}

// What distinguishes a recorded run is when and where it began: the first
// reader may still finish its files. A run without a recording is
// its logs.
Expected<std::string> IdOf(Database* db) {
  ContentHash hash;
  ASSIGN_OR_RETURN(
      const int64_t runs,
      HashRows(db, "SELECT host, start_time, command FROM run ORDER BY 1, 2",
               &hash));
  if (runs > 0) return hash.Hex();
  ASSIGN_OR_RETURN(const int64_t processes,
                   HashRows(db,
                            "SELECT host, pid, start_time, executable FROM "
                            "process ORDER BY 1, 2, 3",
                            &hash));
  if (processes > 0) return hash.Hex();
  RETURN_IF_ERROR(
      HashRows(db,
               "SELECT bytes, lines, first_time, last_time FROM log_source "
               "ORDER BY 1, 2, 3, 4",
               &hash)
          .status());
  RETURN_IF_ERROR(
      HashRows(db, "SELECT line, text FROM log_line ORDER BY 1, 2", &hash)
          .status());
  RETURN_IF_ERROR(
      HashRows(db, "SELECT DISTINCT line, text FROM log_event ORDER BY 1, 2",
               &hash)
          .status());
  return hash.Hex();
}

// "slurm-123.out", as Slurm names the output of job 123, and "slurm-123_4.out".
std::string JobInName(const std::string& path) {
  static const RE2 kName(R"((?:^|/)slurm-(\d+(?:_\d+)?)\.(?:out|err|log)$)");
  std::string job;
  RE2::PartialMatch(path, kName, &job);
  return job;
}

Status FindJob(Database* db, RunSummary* run) {
  ASSIGN_OR_RETURN(Statement recorded,
                   db->Prepare("SELECT DISTINCT job_id FROM process "
                               "WHERE job_id <> '' ORDER BY 1"));
  if (recorded.Next(&run->job)) run->job_from = "process";
  RETURN_IF_ERROR(recorded.status());
  if (!run->job.empty()) return Status::Ok();
  ASSIGN_OR_RETURN(const auto paths,
                   db->QueryTexts("SELECT path FROM log_source ORDER BY 1"));
  for (const std::string& path : paths) {
    run->job = JobInName(path);
    if (run->job.empty()) continue;
    run->job_from = "log name";
    break;
  }
  return Status::Ok();
}

Status FindTimes(Database* db, RunSummary* run) {
  ASSIGN_OR_RETURN(
      Statement rows,
      db->Prepare("SELECT * FROM ("
                  "SELECT 'run' AS came, min(start_time) AS t0, "
                  "max(end_time) AS t1 FROM run UNION ALL "
                  "SELECT 'trace', min(start_time), max(end_time) FROM process "
                  "UNION ALL "
                  "SELECT 'log', min(first_time), max(last_time) "
                  "FROM log_source WHERE kind = 'app') WHERE t0 IS NOT NULL "
                  "AND t1 IS NOT NULL LIMIT 1"));
  rows.Next(&run->times_from, &run->start_time, &run->end_time);
  return rows.status();
}

Status FindEnding(Database* db, RunSummary* run) {
  ASSIGN_OR_RETURN(
      Statement recorded,
      db->Prepare("SELECT host, exit_code, signal FROM run LIMIT 1"));
  recorded.Next(&run->host, &run->exit_code, &run->signal);
  RETURN_IF_ERROR(recorded.status());
  ASSIGN_OR_RETURN(Statement launched,
                   db->Prepare("SELECT max(world_size), max(host) "
                               "FROM process"));
  std::string host;
  launched.Next(&run->world_size, &host);
  if (run->host.empty()) run->host = host;
  return launched.status();
}

// The program's own numbers say how far it came, also after a restart; a bar
// counts whatever it counts, and a trace from the start of the process.
Status FindSteps(Database* db, Steps* steps) {
  ASSIGN_OR_RETURN(
      Statement rows,
      db->Prepare(
          "SELECT * FROM ("
          "SELECT 'log' AS came, min(CAST(figures ->> '$.step' AS INTEGER)) "
          "AS first, max(CAST(figures ->> '$.step' AS INTEGER)) AS last "
          "FROM log_event WHERE role = 'progress' UNION ALL "
          "SELECT 'bar', min(CAST(figures ->> '$.done' AS INTEGER)), "
          "max(CAST(figures ->> '$.done' AS INTEGER)) "
          "FROM log_event WHERE role = 'progress' UNION ALL "
          "SELECT 'trace', min(step), max(step) FROM step) "
          "WHERE last IS NOT NULL LIMIT 1"));
  rows.Next(&steps->from, &steps->first, &steps->last);
  return rows.status();
}

struct SeenRow {
  GpuSeen gpu;
  template <class V>
  void Columns(V& v) {
    v("p.host", gpu.host);
    v("p.pid", gpu.pid);
    v("d.device", gpu.device);
    v("d.uuid", gpu.uuid);
    v("d.pci", gpu.pci);
    v("d.gpu", gpu.name);
    v("coalesce(d.driver, '')", gpu.driver);
  }
};

Status FindGpus(Database* db, RunSummary* run) {
  ASSIGN_OR_RETURN(
      auto rows,
      SelectRows<SeenRow>(db,
                          "FROM device AS d JOIN process AS p USING (process) "
                          "WHERE d.uuid <> '' ORDER BY 1, 2, 3"));
  for (SeenRow row; rows.Next(&row);) run->gpus.push_back(row.gpu);
  return rows.statement().status();
}

// The version that most lines and processes name, of those that differ.
Status FindVersions(Database* db, RunSummary* run) {
  ASSIGN_OR_RETURN(Statement rows,
                   db->Prepare("SELECT what, version FROM version_seen "
                               "WHERE version <> '' GROUP BY what, version "
                               "ORDER BY what, count(*) DESC, version"));
  std::string what, version;
  while (rows.Next(&what, &version)) run->versions.emplace(what, version);
  return rows.status();
}

}  // namespace

Expected<RunSummary> SummarizeRun(facts::Store* store) {
  Database* db = &store->db();
  RunSummary run;
  ASSIGN_OR_RETURN(run.id, IdOf(db));
  RETURN_IF_ERROR(FindJob(db, &run));
  RETURN_IF_ERROR(FindTimes(db, &run));
  RETURN_IF_ERROR(FindEnding(db, &run));
  RETURN_IF_ERROR(FindSteps(db, &run.steps));
  RETURN_IF_ERROR(FindGpus(db, &run));
  RETURN_IF_ERROR(FindVersions(db, &run));
  return run;
}

}  // namespace inquest::report
