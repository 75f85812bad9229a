// SPDX-License-Identifier: Apache-2.0
// Which names there are: what facts and reports state, and what texts tell by
// their surroundings.
#include <nlohmann/json.hpp>

#include "analyzer/report/redact/redact_report.h"

namespace inquest::report {
namespace {

using findings::Evidence;
using findings::Finding;

// Names that a fact states, whatever they look like.
void LearnColumn(facts::Store* store, const char* sql, Redactor* redactor,
                 void (Redactor::*learn)(std::string_view)) {
  auto row = store->db().Prepare(sql);
  if (!row.ok()) return;
  while (row->Step()) (redactor->*learn)(row->Text(0));
}

}  // namespace

void LearnFacts(facts::Store* store, Redactor* redactor) {
  LearnColumn(store,
              "SELECT host FROM process UNION SELECT host FROM run UNION "
              "SELECT host FROM log_event UNION SELECT value FROM environment "
              "WHERE name IN ('HOSTNAME', 'SLURMD_NODENAME', 'HOST')",
              redactor, &Redactor::LearnHost);
  LearnColumn(store,
              "SELECT value FROM environment WHERE name IN ('USER', 'LOGNAME', "
              "'USERNAME', 'SLURM_JOB_USER')",
              redactor, &Redactor::LearnUser);
  LearnColumn(store,
              "SELECT version FROM library UNION SELECT compiled_version FROM "
              "library UNION SELECT version FROM package",
              redactor, &Redactor::LearnVersion);
  LearnColumn(store,
              "SELECT text FROM log_event UNION ALL SELECT text FROM log_line "
              "UNION ALL SELECT command FROM process UNION ALL SELECT command "
              "FROM run UNION ALL SELECT directory FROM run UNION ALL SELECT "
              "path FROM log_source UNION ALL SELECT name || '=' || value FROM "
              "environment UNION ALL SELECT file FROM python_frame UNION ALL "
              "SELECT path FROM library",
              redactor, &Redactor::Learn);
}

void LearnNames(facts::Store* store, const ReportInput& input,
                Redactor* redactor) {
  LearnFacts(store, redactor);
  for (const Finding& finding : input.diagnosis->findings) {
    redactor->LearnHost(finding.unit.host);
    for (const auto& [name, figure] : finding.figures) {
      if (!figure.IsText()) continue;
      if (name == "host" || name == "node") redactor->LearnHost(figure.Text());
      if (name == "user") redactor->LearnUser(figure.Text());
    }
    for (const Evidence& one : finding.evidence) redactor->Learn(one.text);
  }
  if (input.diagnosis->job) {
    for (const std::string& host : input.diagnosis->job->hosts) {
      redactor->LearnHost(host);
    }
  }
  for (const findings::UnitAction& one : input.diagnosis->actions) {
    redactor->LearnHost(one.host);
  }
  redactor->LearnHost(input.run.host);
  for (const GpuSeen& gpu : input.run.gpus) redactor->LearnHost(gpu.host);
  redactor->Learn(input.arguments);
}

void LearnJson(const nlohmann::json& value, Redactor* redactor) {
  if (value.is_string()) {
    redactor->Learn(value.get_ref<const std::string&>());
  } else if (value.is_structured()) {
    for (const auto& inner : value) LearnJson(inner, redactor);
  }
}

}  // namespace inquest::report
