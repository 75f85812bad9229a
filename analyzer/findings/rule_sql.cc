#include "analyzer/findings/rule_sql.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>

#include "analyzer/findings/evidence.h"
#include "analyzer/findings/message.h"
#include "analyzer/rules/exceptions.h"

namespace inquest::findings {
namespace {

using nlohmann::json;

SqlLimits LimitsOf(const rules::Rule& rule) {
  SqlLimits limits;
  if (rule.max_rows > 0) limits.rows = std::min(limits.rows, rule.max_rows);
  if (rule.max_milliseconds > 0) {
    limits.milliseconds = std::min(limits.milliseconds, rule.max_milliseconds);
  }
  return limits;
}

json Value(const Statement& row, int index) {
  if (row.IsNull(index)) return nullptr;
  if (row.IsInteger(index)) return row.Int(index);
  if (row.IsReal(index)) return row.Real(index);
  return std::string(row.Text(index));
}

json Columns(const Statement& row) {
  json columns = json::object();
  for (int i = 0; i < row.columns(); ++i) {
    columns[std::string(row.ColumnName(i))] = Value(row, i);
  }
  return columns;
}

std::optional<int64_t> Integer(const json& columns, const char* name) {
  const auto found = columns.find(name);
  if (found == columns.end() || !found->is_number()) return {};
  return found->get<int64_t>();
}

rules::Confidence ConfidenceOf(const json& columns, rules::Confidence usual) {
  const auto found = columns.find("confidence");
  if (found == columns.end() || !found->is_string()) return usual;
  if (*found == "confirmed") return rules::Confidence::kConfirmed;
  if (*found == "possible") return rules::Confidence::kPossible;
  return rules::Confidence::kProbable;
}

// A rule may say so itself in a column; otherwise a finding was survived when
// every line that it rests on was.
bool Survived(const json& columns, const std::vector<Evidence>& evidence) {
  if (const auto own = Integer(columns, "survived")) return *own != 0;
  return !evidence.empty() &&
         std::all_of(evidence.begin(), evidence.end(),
                     [](const Evidence& one) { return one.survived; });
}

// What is left of a row once the columns with a meaning were taken out.
json FiguresOf(const json& columns) {
  json figures = json::object();
  for (const auto& [name, value] : columns.items()) {
    if (value.is_null() || name == "evidence" || name == "confidence" ||
        name == "t" || name == "host" || name == "survived") {
      continue;
    }
    figures[name] = value;
  }
  return figures;
}

}  // namespace

void RuleRunner::Report(const rules::Rule& rule, const std::string& message) {
  Diagnostic diagnostic;
  diagnostic.code = "R044";
  diagnostic.message = fmt::format("rule '{}': {}", rule.id, message);
  diagnostic.file = rule.sql_place.file;
  diagnostic.line = rule.sql_place.line;
  diagnostic.column = rule.sql_place.column;
  diagnostic.help = "`inquest facts list` shows what SQL may read";
  diagnostics_->push_back(std::move(diagnostic));
}

bool RuleRunner::NeedsAreMet(const rules::Rule& rule) {
  std::string missing;
  for (const std::string& fact : rule.needs) {
    if (store_->HasRows(fact)) continue;
    missing += (missing.empty() ? "" : ", ") + fact;
  }
  for (const auto& any : rule.needs_any) {
    if (std::any_of(any.begin(), any.end(), [&](const std::string& fact) {
          return store_->HasRows(fact);
        })) {
      continue;
    }
    missing += (missing.empty() ? "" : ", ") +
               fmt::format("{}", fmt::join(any, " or "));
  }
  if (!missing.empty()) {
    diagnosis_->skipped.push_back({rule.id, missing, rule.cause});
  }
  return missing.empty();
}

bool RuleRunner::IsException(const rules::Rule& rule, const json& columns) {
  return std::any_of(rule.exceptions.begin(), rule.exceptions.end(),
                     [&](const rules::Exception& exception) {
                       return rules::Excepts(exception, columns);
                     });
}

bool RuleRunner::HasRow(const rules::Rule& rule, const std::string& sql,
                        const json& columns, std::string* first) {
  if (sql.empty()) return false;
  Sandbox sandbox(&store_->db(), LimitsOf(rule));
  auto statement = sandbox.Prepare(sql);
  if (!statement.ok()) {
    Report(rule, statement.status().message());
    return false;
  }
  const int parameters = sqlite3_bind_parameter_count(statement->raw());
  for (int i = 1; i <= parameters; ++i) {
    const char* name = sqlite3_bind_parameter_name(statement->raw(), i);
    const auto found = columns.find(name == nullptr ? "" : name + 1);
    if (found == columns.end()) continue;  // unbound is NULL
    if (found->is_number_integer()) {
      statement->Bind(i - 1, found->get<int64_t>());
    } else if (found->is_number()) {
      statement->Bind(i - 1, found->get<double>());
    } else if (found->is_string()) {
      statement->Bind(i - 1, found->get<std::string>());
    }
  }
  const bool any = sandbox.Step(&*statement);
  if (any) *first = statement->Text(0);
  return any;
}

void RuleRunner::AddRow(const rules::Rule& rule, const json& columns) {
  if (IsException(rule, columns)) return;
  Finding finding;
  finding.rule = rule.id;
  finding.cause = rule.cause;
  finding.title = rule.title;
  finding.message = FillMessage(rule.message, columns);
  finding.role = rule.role;
  finding.severity = rule.severity;
  finding.confidence = ConfidenceOf(columns, rule.confidence);
  finding.fixes = rule.fix;
  finding.references = rule.references;
  finding.figures = FiguresOf(columns);
  finding.unit.rank = Integer(columns, "rank");
  finding.unit.device = Integer(columns, "device");
  finding.unit.pid = Integer(columns, "pid");
  if (const auto host = columns.find("host");
      host != columns.end() && host->is_string()) {
    finding.unit.host = host->get<std::string>();
  }
  finding.first_time = finding.last_time = Integer(columns, "t");
  if (const auto evidence = columns.find("evidence");
      evidence != columns.end() && evidence->is_string()) {
    const std::string references = evidence->get<std::string>();
    for (Evidence& one : ResolveEvidence(store_, references)) {
      AddEvidence(&finding, std::move(one));
    }
  }
  finding.survived = Survived(columns, finding.evidence);
  std::string why;
  if (HasRow(rule, rule.refute, columns, &why)) return;
  if (HasRow(rule, rule.confirm, columns, &why)) {
    finding.confidence = rules::Confidence::kConfirmed;
  }
  diagnosis_->findings.push_back(std::move(finding));
}

void RuleRunner::Run(const rules::Rule& rule) {
  if (!NeedsAreMet(rule)) return;
  std::vector<json> rows;
  std::string limit;
  {
    // The sandbox ends before the rows are looked at, because evidence is
    // resolved with statements of our own.
    Sandbox sandbox(&store_->db(), LimitsOf(rule));
    auto statement = sandbox.Prepare(rule.sql);
    if (!statement.ok()) return Report(rule, statement.status().message());
    while (sandbox.Step(&*statement)) rows.push_back(Columns(*statement));
    limit = sandbox.limit();
    if (limit.empty()) limit = statement->status().message();
  }
  if (!limit.empty()) diagnosis_->limits.push_back({rule.id, limit});
  for (const json& columns : rows) AddRow(rule, columns);
}

void RuleRunner::Check(const rules::Rule& rule) {
  for (const std::string* sql : {&rule.sql, &rule.confirm, &rule.refute}) {
    if (sql->empty()) continue;
    Sandbox sandbox(&store_->db(), LimitsOf(rule));
    auto statement = sandbox.Prepare(*sql);
    if (!statement.ok()) Report(rule, statement.status().message());
  }
}

}  // namespace inquest::findings
