// SPDX-License-Identifier: Apache-2.0
// The findings of a diagnosis as results of SARIF.
#include <fmt/format.h>

#include "analyzer/report/json_values.h"
#include "analyzer/report/report_words.h"
#include "analyzer/report/sarif.h"

namespace inquest::report {
namespace {

using findings::Diagnosis;
using findings::Evidence;
using findings::Finding;
using nlohmann::json;

constexpr size_t kPlacesTold = 20;  // of a finding

// What is explained by another finding, or was survived, needs no action.
std::string_view LevelOf(const Finding& finding) {
  if (finding.survived || finding.standing == findings::Standing::kSymptom) {
    return "note";
  }
  return finding.severity == rules::Severity::kError     ? "error"
         : finding.severity == rules::Severity::kWarning ? "warning"
                                                         : "note";
}

std::string MessageOf(const Finding& finding) {
  std::string text = finding.title;
  if (finding.message != finding.title) text += ": " + finding.message;
  for (size_t i = 0; i < finding.fixes.size(); ++i) {
    const rules::Fix& fix = finding.fixes[i];
    text +=
        fmt::format("{} {}. {}", i == 0 ? " What to do:" : "", i + 1, fix.text);
    if (!fix.command.empty()) text += fmt::format(" ({})", fix.command);
  }
  return text;
}

json PlaceOf(const Evidence& evidence) {
  if (evidence.line > 0) {
    return SarifPlace(evidence.path, evidence.line, 0, evidence.text);
  }
  return {{"logicalLocations",
           {{{"name", fmt::format("{} {}", evidence.table, evidence.row)},
             {"kind", "row"}}}},
          {"message", {{"text", evidence.text}}}};
}

void AddFinding(const Diagnosis& diagnosis, const Finding& finding,
                SarifLog* log) {
  const size_t rule = log->Rule(finding.rule, finding.title, finding.cause);
  json& result =
      log->AddResult(finding.rule, rule, LevelOf(finding), MessageOf(finding));
  json places = json::array();
  for (const Evidence& one : finding.evidence) {
    if (places.size() == kPlacesTold) break;
    places.push_back(PlaceOf(one));
  }
  // The first is where it is; the others tell more of it.
  if (!places.empty()) {
    result["locations"] = {places[0]};
    places.erase(0);
    if (!places.empty()) result["relatedLocations"] = places;
  }
  json explained = json::array();
  for (const findings::Link& link : finding.links) {
    explained.push_back(diagnosis.findings[link.by].id);
  }
  result["properties"] = {{"id", finding.id},
                          {"cause", finding.cause},
                          {"role", Word(finding.standing)},
                          {"confidence", Word(finding.confidence)},
                          {"survived", finding.survived},
                          {"facts", finding.figures},
                          {"explainedBy", explained}};
}

}  // namespace

std::string SarifReport(const ReportInput& input) {
  const Diagnosis& diagnosis = *input.diagnosis;
  SarifLog log(input.tool_version);
  for (const Finding& finding : diagnosis.findings) {
    AddFinding(diagnosis, finding, &log);
  }
  log.SetProperties({{"verdict",
                      {{"cause", diagnosis.verdict.cause},
                       {"confidence", Word(diagnosis.verdict.confidence)},
                       {"title", diagnosis.verdict.title},
                       {"summary", diagnosis.verdict.summary}}},
                     {"missing", diagnosis.verdict.missing}});
  return log.Text();
}

}  // namespace inquest::report
