// SPDX-License-Identifier: Apache-2.0
#include "cli/mcp/tools.h"

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

constexpr size_t kMostFindings = 20;  // with their evidence
constexpr int64_t kUsualRows = 100;
constexpr int64_t kMostRows = 2000;
constexpr int64_t kQueryMilliseconds = 60'000;

std::vector<std::string> Strings(const json& arguments, const char* name) {
  return arguments.value(name, std::vector<std::string>());
}

// What was in the way of reading the inputs.
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
  if (findings.size() <= kMostFindings) return report;
  report["findings_left_out"] = findings.size() - kMostFindings;
  findings.erase(findings.begin() + kMostFindings, findings.end());
  return report;
}

Expected<ToolAnswer> Diagnose(const json& arguments, OpenRuns* runs) {
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

Expected<ToolAnswer> Explain(const json& arguments, OpenRuns* runs) {
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

Expected<ToolAnswer> Query(const json& arguments, OpenRuns* runs) {
  ASSIGN_OR_RETURN(
      cli::Session * session,
      runs->Open(Strings(arguments, "paths"), Strings(arguments, "logs")));
  const int64_t rows = std::clamp<int64_t>(
      arguments.value("max_rows", kUsualRows), 1, kMostRows);
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

ordered_json FactJson(const facts::Fact& fact) {
  ordered_json columns = ordered_json::array();
  for (const facts::FactColumn& column : fact.columns) {
    columns.push_back({{"name", column.name},
                       {"nullable", column.nullable},
                       {"meaning", column.meaning}});
  }
  return {{"fact", fact.name}, {"meaning", fact.meaning}, {"columns", columns}};
}

Expected<ToolAnswer> Facts(const json& arguments, OpenRuns*) {
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

ordered_json Text(const char* meaning) {
  return {{"type", "string"}, {"description", meaning}};
}

ordered_json Texts(const char* meaning) {
  return {{"type", "array"},
          {"items", {{"type", "string"}}},
          {"description", meaning}};
}

// The parameters of a tool that examines a run, and further ones.
ordered_json OfRun(const ordered_json& more = ordered_json::object(),
                   const std::vector<std::string>& required = {}) {
  ordered_json properties = {
      {"paths",
       Texts("Run directories, traces, logs, dumps of other tools; all of one "
             "failed job together")},
      {"logs", Texts("Logs whose kind is to be taken as log, whatever they "
                     "look like (e.g. dmesg.txt)")}};
  properties.update(more);
  std::vector<std::string> all = {"paths"};
  all.insert(all.end(), required.begin(), required.end());
  return {{"type", "object"},
          {"properties", properties},
          {"required", all},
          {"additionalProperties", false}};
}

}  // namespace

const std::vector<Tool>& Tools() {
  static const auto* tools = new std::vector<Tool>{
      {"diagnose", "Name the cause of death of a GPU run",
       "Call this first when a GPU training or inference job failed, hung or "
       "was killed. Reads recordings of `inquest record`, logs (application, "
       "scheduler, kernel) and dumps of other tools, and answers with the "
       "cause, how sure it is, the evidence (line or row of each claim), what "
       "was not judged, and what to do. `unknown` means that nothing decides: "
       "the answer then says what would.",
       OfRun(), Diagnose},
      {"explain", "Everything behind one finding",
       "Call after diagnose, to check a claim before acting on it, or to see "
       "why a rival cause lost: every line and row of a finding.",
       OfRun({{"finding", Text("F1, F2 …, the id of a rule, a cause such as "
                               "memory/fragmentation, or verdict (default)")}}),
       Explain},
      {"query", "Read-only SQL over a run's facts",
       "Call for figures that the diagnosis does not state: sites that hold "
       "memory, refusals, cuDNN's calls, versions. SQLite's SELECT over the "
       "tables that the tool facts names; times are nanoseconds since 1970, "
       "sizes are bytes. `missing` in the answer says what the recording does "
       "not hold.",
       OfRun({{"sql", Text("One SELECT")},
              {"max_rows",
               {{"type", "integer"},
                {"minimum", 1},
                {"maximum", kMostRows},
                {"default", kUsualRows}}}},
             {"sql"}),
       Query},
      {"facts",
       "The tables that query reads",
       "Call before query: without arguments the names of all facts, with one "
       "name its columns and their meaning.",
       {{"type", "object"},
        {"properties", {{"fact", Text("Name of a fact; without: all")}}},
        {"additionalProperties", false}},
       Facts},
  };
  return *tools;
}

namespace {

bool Fits(const json& value, const ordered_json& schema) {
  const std::string type = schema.value("type", "");
  if (type == "string") return value.is_string();
  if (type == "integer") return value.is_number_integer();
  if (type != "array" || !value.is_array()) return false;
  return std::ranges::all_of(value,
                             [](const json& one) { return one.is_string(); });
}

}  // namespace

std::string WrongWith(const json& arguments, const Tool& tool) {
  if (!arguments.is_object()) return "'arguments' is an object";
  const ordered_json& properties = tool.parameters["properties"];
  std::vector<std::string> names;
  for (const auto& [name, schema] : properties.items()) names.push_back(name);
  for (const auto& [name, value] : arguments.items()) {
    const auto schema = properties.find(name);
    if (schema == properties.end()) {
      const std::string near = DidYouMean(name, names);
      return fmt::format("{} has no argument '{}'{}", tool.name, name,
                         near.empty() ? "" : "; " + near);
    }
    if (!Fits(value, *schema)) {
      return fmt::format("'{}' of {} is not of type {}", name, tool.name,
                         schema->value("type", ""));
    }
  }
  for (const auto& name :
       tool.parameters.value("required", ordered_json::array())) {
    const auto given = arguments.find(name.get<std::string>());
    if (given == arguments.end() || given->empty()) {
      return fmt::format("{} needs '{}'", tool.name, name.get<std::string>());
    }
  }
  return {};
}

}  // namespace inquest::mcp
