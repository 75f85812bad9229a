// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/collect/collect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyzer/facts/store/catalogue.h"
#include "analyzer/findings/collect/canonical.h"
#include "analyzer/findings/collect/device_figures.h"
#include "analyzer/findings/collect/evidence.h"
#include "analyzer/findings/collect/fixes.h"
#include "analyzer/findings/collect/matched_part.h"
#include "analyzer/findings/collect/rule_runner.h"
#include "analyzer/findings/collect/run_world.h"
#include "analyzer/findings/collect/said_pid.h"
#include "analyzer/findings/collect/signature_findings.h"
#include "analyzer/findings/collect/stages.h"
#include "analyzer/findings/collect/user_frames.h"
#include "base/rows.h"

namespace inquest::findings {
namespace {

// Lines times findings that they confirm; a tenth of a second.
constexpr int64_t kMaxConfirmations = 200'000;

Status CollectSignatures(facts::Store* store, const rules::RuleSet& rules,
                         Diagnosis* diagnosis) {
  ASSIGN_OR_RETURN(
      auto rows, SelectRows<EventRow>(&store->db(),
                                      "FROM log_event WHERE role IN ('cause', "
                                      "'symptom') ORDER BY id"));
  SignatureFindings findings(rules, diagnosis);
  for (EventRow row; rows.Next(&row);) findings.Add(row);
  RETURN_IF_ERROR(rows.statement().status());
  findings.Tell();
  return Status::Ok();
}

// Which findings a line that confirms a cause may be about.
using ByCause = std::unordered_map<std::string, std::vector<size_t>>;

// Lines that name an error themselves.
using ErrorLines = std::set<std::pair<int64_t, int64_t>>;

ErrorLines ErrorLinesOf(const Diagnosis& diagnosis) {
  ErrorLines lines;
  for (const Finding& finding : diagnosis.findings) {
    for (const Evidence& one : finding.evidence) {
      if (one.line > 0) lines.emplace(one.source, one.line);
    }
  }
  return lines;
}

// What stands on the line of one refusal says nothing about another, of
// another GPU for instance.
bool IsOfAnotherError(const Evidence& line, const ErrorLines& errors,
                      const Finding& finding) {
  return errors.contains({line.source, line.line}) &&
         !IsAmong(line, finding.evidence);
}

// A line of another rank, node or process says nothing about this one. Numbers
// of processes are compared within a log alone: a container has its own.
bool IsOfAnotherPlace(const EventRow& row, const Figures& figures,
                      const Finding& finding) {
  const Unit& unit = finding.unit;
  const Figure::List pids = finding.figures["pid"].AsList();
  const Figure& pid = figures["pid"];
  const bool other_process = finding.lines.contains(row.evidence.source) &&
                             !pid.IsNull() && finding.figures.Contains("pid") &&
                             std::ranges::find(pids, pid) == pids.end();
  return !MayBeOne(row.evidence.rank, unit.rank) ||
         !MayBeOneHost(row.host, unit.host) || other_process;
}

void ConfirmBy(const EventRow& row, const Figures& figures, Finding* finding) {
  if (IsOfAnotherPlace(row, figures, *finding)) return;
  if (finding->role == rules::Role::kCause) {
    finding->confidence = rules::Confidence::kConfirmed;
  }
  MergeFigures(&finding->figures, figures);
  AddEvidence(finding, row.evidence);
}

// A line that confirms a cause raises the findings of that cause.
Status Confirm(facts::Store* store, const rules::RuleSet& rules,
               Diagnosis* diagnosis) {
  std::unordered_map<std::string, std::string> causes;
  for (const rules::Signature& signature : rules.signatures) {
    causes.emplace(signature.id, signature.cause);
  }
  ByCause by_cause;
  for (size_t i = 0; i < diagnosis->findings.size(); ++i) {
    by_cause[diagnosis->findings[i].cause].push_back(i);
  }
  ASSIGN_OR_RETURN(
      auto rows,
      SelectRows<EventRow>(
          &store->db(), "FROM log_event WHERE role = 'confirm' ORDER BY id"));
  const ErrorLines errors = ErrorLinesOf(*diagnosis);
  int64_t left = kMaxConfirmations;
  for (EventRow row; left > 0 && rows.Next(&row);) {
    const auto found = by_cause.find(causes[row.signature]);
    if (found == by_cause.end()) continue;
    left -= std::ssize(found->second);
    const Figures figures = ParseFigures(row.figures);
    for (const size_t i : found->second) {
      Finding& finding = diagnosis->findings[i];
      if (IsOfAnotherError(row.evidence, errors, finding)) continue;
      ConfirmBy(row, figures, &finding);
    }
    if (left > 0) continue;
    diagnosis->limits.push_back(
        {row.signature, "stopped: its lines confirm too many findings"});
  }
  return rows.statement().status();
}

}  // namespace

Status CollectFindings(facts::Store* store, const rules::RuleSet& rules,
                       Diagnosis* diagnosis, Diagnostics* diagnostics,
                       RuleProfile* profile) {
  RETURN_IF_ERROR(CollectSignatures(store, rules, diagnosis));
  {
    RuleRunner runner(store, diagnosis, diagnostics, profile);
    for (const rules::Rule& rule : rules.rules) runner.Run(rule);
  }
  RETURN_IF_ERROR(Confirm(store, rules, diagnosis));
  FindMatchedParts(rules, diagnosis);
  RETURN_IF_ERROR(NameUserFrames(store, diagnosis));
  RETURN_IF_ERROR(NameStages(store, diagnosis));
  ASSIGN_OR_RETURN(const RunWorld world, RunWorld::Read(store));
  RETURN_IF_ERROR(KeepFixesThatApply(store, world, diagnosis));
  RETURN_IF_ERROR(AddDeviceFigures(store, diagnosis));
  for (Finding& finding : diagnosis->findings) {
    const rules::World* vendor = world.OnlyVendor(finding);
    const bool is_hip = vendor != nullptr && vendor->id == "amd";
    if (vendor != nullptr) finding.device_word = vendor->device;
    AddSaidPid(&finding);
    AddCanonicalForms(&finding.figures, is_hip);
    world.SayWords(&finding);
  }
  return Status::Ok();
}

// How far the run came is not a figure of its death.
Expected<Figures> RunFigures(facts::Store* store) {
  Figures figures;
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare("SELECT figures FROM log_event WHERE role IN "
                          "('context', 'benign', 'advice') ORDER BY id"));
  while (row.Step()) {
    MergeFigures(&figures, ParseFigures(row.Text(0)));
  }
  RETURN_IF_ERROR(row.status());
  AddCanonicalForms(&figures);
  return figures;
}

void CheckRules(facts::Store* store, const rules::RuleSet& rules,
                Diagnostics* diagnostics) {
  Diagnosis unused;
  RuleRunner runner(store, &unused, diagnostics);
  for (const rules::Rule& rule : rules.rules) runner.Check(rule);
}

}  // namespace inquest::findings
