// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/redact/redact_report.h"

#include <nlohmann/json.hpp>

#include "analyzer/report/redact/redact_parts.h"

namespace inquest::report {
namespace {

void InRun(Redactor* redactor, RunSummary* run) {
  In(redactor, &run->host);
  for (GpuSeen& gpu : run->gpus) {
    In(redactor, &gpu.host);
    In(redactor, &gpu.uuid);
  }
}

void InLog(Redactor* redactor, ingest::LogSource* log) {
  InPath(redactor, &log->path);
  In(redactor, &log->note);
  In(redactor, &log->unit.host);
  In(redactor, &log->unit.rank_by);
  In(redactor, &log->unit.host_by);
}

void InSummary(Redactor* redactor, Summary* summary) {
  for (PeakSummary& peak : summary->peaks) {
    for (PeakSite& site : peak.sites) {
      In(redactor, &site.function);
      InPath(redactor, &site.file);
    }
  }
  for (ShortLivedSite& one : summary->short_lived) In(redactor, &one.function);
  for (auto* devices : {&summary->devices, &summary->host}) {
    for (DeviceSummary& one : *devices) {
      In(redactor, &one.name);
      InPath(redactor, &one.path);
    }
  }
}

}  // namespace

RedactedReport Redact(const ReportInput& input, Redactor* redactor) {
  RedactedReport redacted;
  redacted.diagnosis = std::make_unique<findings::Diagnosis>(*input.diagnosis);
  redacted.input = input;
  InDiagnosis(redactor, redacted.diagnosis.get());
  redacted.input.diagnosis = redacted.diagnosis.get();
  InSummary(redactor, &redacted.input.summary);
  InRun(redactor, &redacted.input.run);
  for (ingest::LogSource& log : redacted.input.logs) InLog(redactor, &log);
  for (Figures& row : redacted.input.coverage) InFigures(redactor, &row);
  InPath(redactor, &redacted.input.subject);
  // Commands with tokens in them would not run.
  redacted.input.arguments.clear();
  return redacted;
}

void RedactJson(nlohmann::json* value, Redactor* redactor) {
  if (value->is_string()) {
    *value = redactor->Redacted(value->get_ref<const std::string&>());
  } else if (value->is_structured()) {
    for (auto& inner : *value) RedactJson(&inner, redactor);
  }
}

}  // namespace inquest::report
