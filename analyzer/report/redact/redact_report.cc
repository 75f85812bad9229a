// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/redact/redact_report.h"

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

namespace inquest::report {
namespace {

using findings::Evidence;
using findings::Finding;

void In(Redactor* redactor, std::string* text) {
  *text = redactor->Redacted(*text);
}

void InPath(Redactor* redactor, std::string* path) {
  *path = redactor->RedactedPath(*path);
}

// Numbers alone, of something that has versions.
bool IsVersion(std::string_view name, std::string_view text) {
  if (text.find_first_not_of("0123456789.") != text.npos) return false;
  constexpr std::array<std::string_view, 6> kWords = {
      "version", "cudnn", "cuda", "driver", "librar", "nccl"};
  for (const std::string_view word : kWords) {
    if (name.find(word) != name.npos) return true;
  }
  return false;
}

Figure RedactedFigure(std::string_view name, const Figure& figure,
                      Redactor* redactor) {
  if (figure.IsText()) {
    return IsVersion(name, figure.Text())
               ? redactor->RedactedVersion(figure.Text())
               : redactor->Redacted(figure.Text());
  }
  if (!figure.IsList()) return figure;
  Figure::List list;
  for (const Figure& one : figure.Items()) {
    list.push_back(RedactedFigure(name, one, redactor));
  }
  return list;
}

void InFigures(Redactor* redactor, Figures* figures) {
  Figures redacted;
  for (const auto& [name, figure] : *figures) {
    redacted[name] = RedactedFigure(name, figure, redactor);
  }
  *figures = std::move(redacted);
}

void InEvidence(Redactor* redactor, std::vector<Evidence>* evidence) {
  for (Evidence& one : *evidence) {
    InPath(redactor, &one.path);
    In(redactor, &one.text);
    In(redactor, &one.user_frame);
  }
}

void InUnit(Redactor* redactor, findings::Unit* unit) {
  if (unit->host.empty()) return;
  In(redactor, &unit->host);
}

void InFinding(Redactor* redactor, Finding* finding) {
  In(redactor, &finding->title);
  In(redactor, &finding->message);
  InUnit(redactor, &finding->unit);
  for (findings::Unit& unit : finding->others) InUnit(redactor, &unit);
  InFigures(redactor, &finding->figures);
  InEvidence(redactor, &finding->evidence);
  for (rules::Fix& fix : finding->fixes) {
    In(redactor, &fix.text);
    In(redactor, &fix.command);
  }
  for (findings::Link& link : finding->links) In(redactor, &link.why);
}

void InVerdict(Redactor* redactor, findings::Verdict* verdict) {
  In(redactor, &verdict->title);
  In(redactor, &verdict->summary);
  InFigures(redactor, &verdict->figures);
  for (findings::Tie& tie : verdict->ties) In(redactor, &tie.decider);
  for (std::string& one : verdict->missing) In(redactor, &one);
  for (findings::Input& input : verdict->open.inputs) {
    InPath(redactor, &input.path);
    In(redactor, &input.read_as);
    InEvidence(redactor, &input.last_lines);
  }
  InEvidence(redactor, &verdict->open.suspects);
}

void InJob(Redactor* redactor, findings::Job* job) {
  for (std::string& host : job->hosts) In(redactor, &host);
  for (findings::Suspect& one : job->suspects) {
    In(redactor, &one.host);
    In(redactor, &one.why);
  }
  for (findings::JobClock& one : job->clocks) {
    InPath(redactor, &one.clock);
    In(redactor, &one.tied_by);
  }
}

void InActions(Redactor* redactor, std::vector<findings::UnitAction>* actions) {
  for (findings::UnitAction& one : *actions) {
    In(redactor, &one.host);
    In(redactor, &one.why);
    // A node's name in a command would be a token: it could not be run.
    one.commands.clear();
  }
}

void InDiagnosis(Redactor* redactor, findings::Diagnosis* diagnosis) {
  for (Finding& finding : diagnosis->findings) InFinding(redactor, &finding);
  InVerdict(redactor, &diagnosis->verdict);
  for (auto& one : diagnosis->skipped) In(redactor, &one.missing);
  for (auto& one : diagnosis->limits) In(redactor, &one.what);
  for (auto& one : diagnosis->losses) In(redactor, &one.note);
  for (auto& one : diagnosis->gaps) In(redactor, &one.note);
  if (diagnosis->job) InJob(redactor, &*diagnosis->job);
  InActions(redactor, &diagnosis->actions);
}

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

void LearnJson(const nlohmann::json& value, Redactor* redactor) {
  if (value.is_string()) {
    redactor->Learn(value.get_ref<const std::string&>());
  } else if (value.is_structured()) {
    for (const auto& inner : value) LearnJson(inner, redactor);
  }
}

void RedactJson(nlohmann::json* value, Redactor* redactor) {
  if (value->is_string()) {
    *value = redactor->Redacted(value->get_ref<const std::string&>());
  } else if (value->is_structured()) {
    for (auto& inner : *value) RedactJson(&inner, redactor);
  }
}

}  // namespace inquest::report
