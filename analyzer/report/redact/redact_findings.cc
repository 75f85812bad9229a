// SPDX-License-Identifier: Apache-2.0
// Findings, the verdict, and what is said of a job and its nodes.
#include "analyzer/report/redact/redact_parts.h"

namespace inquest::report {
namespace {

using findings::Finding;

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

}  // namespace

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

}  // namespace inquest::report
