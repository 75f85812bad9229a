// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "analyzer/findings/rank/alike.h"
#include "analyzer/report/job_text.h"
#include "analyzer/report/json_values.h"
#include "analyzer/report/report.h"
#include "analyzer/report/report_words.h"
#include "base/json_text.h"

namespace inquest::report {
namespace {

using nlohmann::json;

json UnitJson(const findings::Unit& unit) {
  return {{"rank", OrNull(unit.rank)},
          {"device", OrNull(unit.device)},
          {"pid", OrNull(unit.pid)},
          {"host", unit.host.empty() ? json(nullptr) : json(unit.host)}};
}

// Units that share the finding.
json OthersJson(const findings::Finding& finding) {
  std::vector<const findings::Unit*> units;
  for (const findings::Unit& unit : finding.others) units.push_back(&unit);
  return {{"count", units.size()}, {"where", findings::WhereText(units)}};
}

json FixesJson(const std::vector<rules::Fix>& fixes) {
  json all = json::array();
  for (const rules::Fix& fix : fixes) {
    json one = {{"text", fix.text}};
    if (!fix.command.empty()) one["command"] = fix.command;
    if (!fix.when.empty())
      one["when"] = fmt::format("{}", fmt::join(fix.when, ", "));
    if (!fix.action.empty()) one["action"] = fix.action;
    if (!fix.url.empty()) one["url"] = fix.url;
    all.push_back(std::move(one));
  }
  return all;
}

json EvidenceJson(const std::vector<findings::Evidence>& evidence) {
  json all = json::array();
  for (const findings::Evidence& one : evidence) {
    if (one.line > 0) {
      all.push_back({{"source", one.path},
                     {"line", one.line},
                     {"offset", one.offset},
                     {"text", one.text}});
    } else {
      all.push_back({{"table", one.table},
                     {"row", one.row},
                     {"process", OrNull(one.process)},
                     {"text", one.text}});
    }
  }
  return all;
}

json InputsJson(const std::vector<findings::Input>& inputs) {
  json all = json::array();
  for (const findings::Input& input : inputs) {
    all.push_back({{"path", input.path},
                   {"read_as", input.read_as},
                   {"last_lines", EvidenceJson(input.last_lines)}});
  }
  return all;
}

json ExplainedBy(const findings::Finding& finding,
                 const findings::Diagnosis& diagnosis) {
  json all = json::array();
  for (const findings::Link& link : finding.links) {
    all.push_back({{"finding", diagnosis.findings[link.by].id},
                   {"kind", link.kind},
                   {"why", link.why},
                   {"order_known", link.order_known}});
  }
  return all;
}

json VerdictJson(const findings::Diagnosis& diagnosis) {
  const findings::Verdict& verdict = diagnosis.verdict;
  json result = {{"cause", verdict.cause},
                 {"confidence", Word(verdict.confidence)},
                 {"title", verdict.title},
                 {"summary", verdict.summary},
                 {"facts", verdict.figures},
                 {"missing", verdict.missing},
                 {"rule", nullptr},
                 {"unit", UnitJson({})},
                 {"fixes", json::array()},
                 {"inputs", InputsJson(verdict.open.inputs)},
                 {"suspects", EvidenceJson(verdict.open.suspects)}};
  if (verdict.finding) {
    const findings::Finding& root = diagnosis.findings[*verdict.finding];
    result["rule"] = root.rule;
    result["finding"] = root.id;
    result["unit"] = UnitJson(findings::WhereItBegan(diagnosis));
    result["fixes"] = FixesJson(root.fixes);
  }
  result["alike"] = json::array();
  for (const size_t i : verdict.alike) {
    result["alike"].push_back(diagnosis.findings[i].id);
  }
  result["ties"] = json::array();
  for (const findings::Tie& tie : verdict.ties) {
    result["ties"].push_back({{"finding", diagnosis.findings[tie.finding].id},
                              {"decided_by", tie.decider}});
  }
  return result;
}

json LogsJson(const std::vector<ingest::LogSource>& logs) {
  json all = json::array();
  for (const ingest::LogSource& log : logs) {
    const ingest::LogUnit& unit = log.unit;
    const auto text = [](const std::string& one) {
      return one.empty() ? json(nullptr) : json(one);
    };
    all.push_back({{"path", log.path},
                   {"rank", OrNull(unit.rank)},
                   {"rank_by", text(unit.rank_by)},
                   {"host", text(unit.host)},
                   {"host_by", text(unit.host_by)},
                   {"attempt", OrNull(unit.attempt)},
                   {"kind", log.kind},
                   {"packing", log.packing},
                   {"bytes", log.bytes},
                   {"lines", log.lines},
                   {"events", log.events},
                   {"cut_lines", log.cut_lines},
                   {"repeats", log.repeats},
                   {"bad_captures", log.bad_captures},
                   {"truncated", log.truncated},
                   {"incomplete", log.incomplete},
                   {"note", log.note}});
  }
  return all;
}

json RisksJson(const findings::Diagnosis& diagnosis) {
  json all = json::array();
  for (const findings::Finding& finding : diagnosis.findings) {
    if (!findings::IsRisk(finding)) continue;
    all.push_back({{"finding", finding.id},
                   {"rule", finding.rule},
                   {"cause", finding.cause},
                   {"title", finding.title},
                   {"message", finding.message},
                   {"facts", finding.figures},
                   {"fixes", FixesJson(finding.fixes)}});
  }
  return all;
}

}  // namespace

json FindingJson(const findings::Finding& finding,
                 const findings::Diagnosis& diagnosis) {
  json one = {{"id", finding.id},
              {"rule", finding.rule},
              {"cause", finding.cause},
              {"title", finding.title},
              {"message", finding.message},
              {"role", Word(finding.standing)},
              {"severity", finding.survived ? "note" : Word(finding.severity)},
              {"confidence", Word(finding.confidence)},
              {"survived", finding.survived},
              {"unit", UnitJson(finding.unit)},
              {"first_time", OrNull(finding.first_time)},
              {"last_time", OrNull(finding.last_time)},
              {"count", finding.count},
              {"facts", finding.figures},
              {"evidence", EvidenceJson(finding.evidence)},
              {"explained_by", ExplainedBy(finding, diagnosis)},
              {"fixes", FixesJson(finding.fixes)}};
  if (!finding.others.empty()) one["others"] = OthersJson(finding);
  return one;
}

std::string JsonReport(const ReportInput& input, int indent) {
  const findings::Diagnosis& diagnosis = *input.diagnosis;
  json findings = json::array();
  for (const findings::Finding& finding : diagnosis.findings) {
    findings.push_back(FindingJson(finding, diagnosis));
    NameGpu(input.run.gpus, &findings.back());
  }
  json verdict = VerdictJson(diagnosis);
  NameGpu(input.run.gpus, &verdict);
  json skipped = json::array();
  for (const findings::Skipped& one : diagnosis.skipped) {
    skipped.push_back({{"rule", one.rule}, {"missing", one.missing}});
  }
  json limits = json::array();
  for (const findings::LimitHit& one : diagnosis.limits) {
    limits.push_back({{"rule", one.rule}, {"what", one.what}});
  }
  json losses = json::array();
  for (const findings::Loss& one : diagnosis.losses) {
    losses.push_back({{"process", one.process},
                      {"kind", one.kind},
                      {"count", one.count},
                      {"note", one.note}});
  }
  const json report = {
      {"schema", "inquest.diagnosis/1"},
      {"tool", {{"name", "inquest"}, {"version", input.tool_version}}},
      {"rules_version",
       {{"facts", 1}, {"count", input.rules}, {"digest", input.rules_digest}}},
      {"run", RunJson(input.run)},
      {"verdict", verdict},
      {"findings", findings},
      {"job", JobJson(diagnosis)},
      {"actions", ActionsJson(diagnosis)},
      {"risks", RisksJson(diagnosis)},
      {"summary", SummaryJson(input.summary)},
      {"coverage", input.coverage},
      {"losses", losses},
      {"logs", LogsJson(input.logs)},
      {"skipped", skipped},
      {"limits", limits}};
  return JsonText(report, indent) + "\n";
}

}  // namespace inquest::report
