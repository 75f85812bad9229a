// SPDX-License-Identifier: Apache-2.0
#include "cli/mcp/tool_calls.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/facts/store/catalogue.h"
#include "analyzer/findings/collect/row_figures.h"
#include "analyzer/findings/rank/explain.h"
#include "analyzer/findings/rank/losses.h"
#include "analyzer/findings/sandbox/sandbox.h"
#include "analyzer/report/explain_report.h"
#include "analyzer/report/report.h"
#include "analyzer/rules/model/aliases.h"
#include "base/figures_json.h"
#include "base/json_text.h"
#include "base/suggest.h"

namespace inquest::mcp {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr size_t kMaxFindings = 20;  // with their evidence
constexpr int64_t kQueryMilliseconds = 60'000;

std::vector<std::string> Strings(const json& arguments, const char* name) {
  return arguments.value(name, std::vector<std::string>());
}

// What hindered the reading of the inputs.
std::vector<std::string> Warnings(const cli::Session& session) {
  std::vector<std::string> all;
  for (const Diagnostic& one : session.diagnostics()) {
    all.push_back(Render(one, false));
  }
  return all;
}

void AddWarnings(const cli::Session& session, ToolAnswer* answer) {
  const auto warnings = Warnings(session);
  if (warnings.empty()) return;
  answer->data["warnings"] = warnings;
  for (const std::string& one : warnings) answer->text += one + "\n";
}

// The report with the findings that matter; a long one is cut, and says so.
ordered_json Cut(ordered_json report) {
  auto& findings = report["findings"];
  if (findings.size() <= kMaxFindings) return report;
  report["findings_left_out"] = findings.size() - kMaxFindings;
  findings.erase(findings.begin() + kMaxFindings, findings.end());
  return report;
}

}  // namespace

Expected<ToolAnswer> CallDiagnose(const json& arguments, OpenRuns* runs) {
  ASSIGN_OR_RETURN(
      cli::Session * session,
      runs->Diagnosed(Strings(arguments, "paths"), Strings(arguments, "logs")));
  const report::ReportInput input = session->Report();
  ToolAnswer answer;
  answer.text = report::TextReport(input, {});
  answer.data = Cut(ordered_json::parse(report::JsonReport(input, -1)));
  AddWarnings(*session, &answer);
  return answer;
}

Expected<ToolAnswer> CallExplain(const json& arguments, OpenRuns* runs) {
  ASSIGN_OR_RETURN(
      cli::Session * session,
      runs->Diagnosed(Strings(arguments, "paths"), Strings(arguments, "logs")));
  const std::string wanted = arguments.value("finding", "verdict");
  const findings::Diagnosis& diagnosis = session->diagnosis();
  const auto named = findings::FindingsNamed(
      diagnosis, rules::IdOfToday(session->rules().aliases, wanted));
  ToolAnswer answer;
  answer.data["explanations"] = ordered_json::array();
  if (named.empty() && wanted == "verdict") {
    answer.text = diagnosis.verdict.cause + ": " + diagnosis.verdict.summary;
    return answer;
  }
  if (named.empty()) {
    std::vector<std::string> ids;
    for (const auto& one : diagnosis.findings) ids.push_back(one.id);
    return Usage(fmt::format("there is no finding '{}' in this run", wanted))
        .WithHint(DidYouMean(wanted, ids));
  }
  for (const size_t finding : named) {
    const auto explanation =
        findings::Explain(diagnosis, session->rules().relations, finding);
    answer.text +=
        report::ExplainText(diagnosis, explanation, session->rules());
    answer.data["explanations"].push_back(ordered_json::parse(
        report::ExplainJson(diagnosis, explanation, session->rules())));
  }
  AddWarnings(*session, &answer);
  return answer;
}

namespace {

findings::SqlLimits LimitsOf(int64_t rows) {
  findings::SqlLimits limits;
  limits.rows = rows;
  limits.milliseconds = kQueryMilliseconds;
  limits.bytes = 4 << 20;  // of all rows: a client keeps them in its context
  limits.text = 1 << 20;
  return limits;
}

ordered_json RowIn(const Statement& statement) {
  ordered_json row = ordered_json::object();
  for (int i = 0; i < statement.columns(); ++i) {
    row[std::string(statement.ColumnName(i))] =
        findings::FigureIn(statement, i);
  }
  return row;
}

}  // namespace

Expected<ToolAnswer> CallQuery(const json& arguments, OpenRuns* runs) {
  ASSIGN_OR_RETURN(
      cli::Session * session,
      runs->Open(Strings(arguments, "paths"), Strings(arguments, "logs")));
  const int64_t rows =
      std::clamp<int64_t>(arguments.value("max_rows", kUsualRows), 1, kMaxRows);
  ToolAnswer answer;
  answer.data["rows"] = ordered_json::array();
  {
    findings::Sandbox sandbox(&session->store().db(), LimitsOf(rows));
    auto statement = sandbox.Prepare(arguments.value("sql", ""));
    if (!statement.ok()) {
      return Usage("this SQL cannot be run: " + statement.status().message())
          .WithHint("the tool `facts` names the tables and their columns");
    }
    while (sandbox.Step(&*statement)) {
      answer.data["rows"].push_back(RowIn(*statement));
      answer.text += JsonText(answer.data["rows"].back()) + "\n";
    }
    if (!sandbox.limit().empty()) {
      answer.data["incomplete"] = "the query was " + sandbox.limit();
    } else if (!statement->status().ok()) {
      return statement->status();
    }
  }
  // After the sandbox: these read more than the facts.
  findings::Diagnosis missing;
  if (findings::FindMissing(&session->store(), &missing).ok()) {
    answer.data["missing"] = findings::WhatIsMissing(missing);
  }
  if (answer.text.empty()) answer.text = "no rows\n";
  for (const char* key : {"incomplete", "missing"}) {
    if (answer.data.contains(key) && !answer.data[key].empty()) {
      answer.text += fmt::format("{}: {}\n", key, JsonText(answer.data[key]));
    }
  }
  AddWarnings(*session, &answer);
  return answer;
}

namespace {

ordered_json FactJson(const facts::Fact& fact) {
  ordered_json columns = ordered_json::array();
  for (const facts::FactColumn& column : fact.columns) {
    columns.push_back({{"name", column.name},
                       {"nullable", column.nullable},
                       {"meaning", column.meaning}});
  }
  return {{"fact", fact.name}, {"meaning", fact.meaning}, {"columns", columns}};
}

}  // namespace

Expected<ToolAnswer> CallFacts(const json& arguments, OpenRuns*) {
  const std::string wanted = arguments.value("fact", "");
  ToolAnswer answer;
  answer.data = {{"facts_version", facts::kFactsVersion},
                 {"facts", ordered_json::array()}};
  std::vector<std::string> names;
  for (const facts::Fact& fact : facts::Catalogue()) {
    names.push_back(fact.name);
    if (!wanted.empty() && fact.name != wanted) continue;
    answer.text += fact.name + ": " + fact.meaning + "\n";
    if (wanted.empty()) {
      answer.data["facts"].push_back(
          {{"fact", fact.name}, {"meaning", fact.meaning}});
      continue;
    }
    answer.data["facts"].push_back(FactJson(fact));
    for (const facts::FactColumn& column : fact.columns) {
      answer.text +=
          fmt::format("  {}{}: {}\n", column.name,
                      column.nullable ? " (may be NULL)" : "", column.meaning);
    }
  }
  if (answer.text.empty()) {
    return Usage("there is no fact '" + wanted + "'")
        .WithHint(DidYouMean(wanted, names));
  }
  return answer;
}

}  // namespace inquest::mcp
