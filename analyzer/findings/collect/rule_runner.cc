// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/collect/rule_runner.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "analyzer/findings/collect/evidence.h"
#include "analyzer/findings/collect/message.h"
#include "analyzer/findings/collect/row_figures.h"
#include "analyzer/rules/model/exceptions.h"
#include "base/glob.h"
#include "base/text.h"
#include "base/timed.h"
#include "base/units.h"

namespace inquest::findings {
namespace {

constexpr size_t kMaxReferences = 50;  // of one row, looked up

std::optional<int64_t> Integer(const Figures& columns, const char* name) {
  const Figure& figure = columns[name];
  if (!figure.IsNumber()) return {};
  return figure.Integer();
}

rules::Confidence ConfidenceOf(const Figures& columns,
                               rules::Confidence usual) {
  const Figure& figure = columns["confidence"];
  if (!figure.IsText()) return usual;
  if (figure == "confirmed") return rules::Confidence::kConfirmed;
  if (figure == "possible") return rules::Confidence::kPossible;
  return rules::Confidence::kProbable;
}

// A rule may say so in a column; otherwise a finding was survived if all its
// lines were.
bool Survived(const Figures& columns, const std::vector<Evidence>& evidence) {
  if (const auto own = Integer(columns, "survived")) return *own != 0;
  return !evidence.empty() &&
         std::all_of(evidence.begin(), evidence.end(),
                     [](const Evidence& one) { return one.survived; });
}

// The columns of a row that have no reserved meaning.
Figures FiguresOf(const Figures& columns) {
  Figures figures;
  for (const auto& [name, value] : columns) {
    if (value.IsNull() || name == "evidence" || name == "confidence" ||
        name == "t" || name == "host" || name == "survived") {
      continue;
    }
    figures[name] = value;
  }
  return figures;
}

// Without evidence, and before `confirm` runs.
Finding FindingOf(const rules::Rule& rule, const Figures& columns) {
  Finding finding;
  finding.rule = rule.id;
  finding.cause = rule.cause;
  finding.title = rule.title;
  finding.message = FillMessage(rule.message, columns);
  if (Trim(finding.message).empty()) finding.message = finding.title;
  finding.role = rule.role;
  finding.severity = rule.severity;
  finding.confidence = ConfidenceOf(columns, rule.confidence);
  finding.fixes = rule.fix;
  finding.references = rule.references;
  finding.figures = FiguresOf(columns);
  finding.unit.process = Integer(columns, "process");
  finding.unit.rank = Integer(columns, "rank");
  finding.unit.device = Integer(columns, "device");
  finding.unit.pid = Integer(columns, "pid");
  finding.unit.host = columns["host"].Text();
  finding.first_time = finding.last_time = Integer(columns, "t");
  return finding;
}

}  // namespace

int64_t* RuleRunner::Cost(int64_t RuleCost::*part) {
  return profile_ == nullptr ? nullptr : &(profile_->rules.back().*part);
}

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

bool RuleRunner::HasRows(const std::string& fact) {
  const auto [known, is_new] = has_rows_.try_emplace(fact, false);
  if (is_new) known->second = store_->HasRows(fact);
  return known->second;
}

bool RuleRunner::IsThere(const std::string& need) {
  if (!need.starts_with(rules::kIdMark)) return HasRows(need);
  if (!signatures_) {
    signatures_.emplace();
    auto rows =
        store_->db().Prepare("SELECT DISTINCT signature FROM store_log_event");
    for (std::string id; rows.ok() && rows->Next(&id);) signatures_->insert(id);
  }
  const std::string_view name =
      std::string_view(need).substr(rules::kIdMark.size());
  return std::ranges::any_of(*signatures_, [&](const std::string& id) {
    return MatchesGlob(name, id);
  });
}

bool RuleRunner::NeedsAreMet(const rules::Rule& rule) {
  const auto is_there = [&](const std::string& one) { return IsThere(one); };
  std::string missing;
  bool has_lines = true;  // no line is no evidence that somebody could add
  const auto miss = [&](const std::string& first, const std::string& all) {
    if (first.starts_with(rules::kIdMark)) {
      has_lines = false;
    } else {
      missing += (missing.empty() ? "" : ", ") + all;
    }
  };
  for (const std::string& need : rule.needs) {
    if (!is_there(need)) miss(need, need);
  }
  for (const auto& any : rule.needs_any) {
    if (any.empty() || std::ranges::any_of(any, is_there)) continue;
    miss(any.front(), fmt::format("{}", fmt::join(any, " or ")));
  }
  if (!missing.empty()) {
    // Warnings and notes do not name what killed the run.
    const bool names_cause = rule.severity == rules::Severity::kError;
    diagnosis_->skipped.push_back(
        {rule.id, missing, names_cause ? rule.cause : ""});
  }
  return missing.empty() && has_lines;
}

bool RuleRunner::IsException(const rules::Rule& rule, const Figures& columns) {
  return std::any_of(rule.exceptions.begin(), rule.exceptions.end(),
                     [&](const rules::Exception& exception) {
                       return rules::Excepts(exception, columns);
                     });
}

bool RuleRunner::Compile(const rules::Rule& rule, Question* question) {
  if (question->statement.is_prepared()) return true;
  auto statement = sandbox_.Prepare(*question->sql);
  if (statement.ok()) {
    question->statement = statement.Take();
  } else {
    question->broken = true;
    if (sandbox_.limit().empty()) Report(rule, statement.status().message());
  }
  return statement.ok();
}

bool RuleRunner::HasRow(const rules::Rule& rule, Question* question,
                        const Figures& columns) {
  if (question->sql->empty() || question->broken) return false;
  const Timed timed(Cost(&RuleCost::judge_ns));
  if (!Compile(rule, question)) return false;
  Statement& statement = question->statement;
  statement.Reset();
  for (int i = 0; i < statement.parameters(); ++i) {
    BindFigure(i, columns[statement.ParameterName(i)], &statement);
  }
  sandbox_.RestartRows();
  const bool any = sandbox_.Step(&statement);
  const bool failed = !statement.status().ok();
  if (failed && sandbox_.limit().empty()) {
    question->broken = true;
    Report(rule, statement.status().message());
  }
  return any;
}

bool RuleRunner::AddRow(const rules::Rule& rule, const Figures& columns,
                        Question* confirm, Question* refute) {
  if (IsException(rule, columns)) return true;
  if (HasRow(rule, refute, columns)) return true;
  Finding finding = FindingOf(rule, columns);
  if (HasRow(rule, confirm, columns)) {
    finding.confidence = rules::Confidence::kConfirmed;
  }
  {
    const Timed timed(Cost(&RuleCost::finish_ns));
    for (Evidence& one :
         ResolveEvidence(store_, columns["evidence"].Text(),
                         Integer(columns, "process"), kMaxReferences)) {
      AddEvidence(&finding, std::move(one));
    }
    finding.survived = Survived(columns, finding.evidence);
  }
  if (std::string what = budget_.Add(finding); !what.empty()) {
    diagnosis_->limits.push_back({rule.id, std::move(what)});
    return false;
  }
  diagnosis_->findings.push_back(std::move(finding));
  return true;
}

std::vector<Figures> RuleRunner::Rows(const rules::Rule& rule) {
  std::vector<Figures> rows;
  Expected<Statement> statement = [&] {
    const Timed timed(Cost(&RuleCost::prepare_ns));
    return sandbox_.Prepare(rule.sql);
  }();
  if (!statement.ok()) {
    if (sandbox_.limit().empty()) Report(rule, statement.status().message());
    return rows;
  }
  const Timed timed(Cost(&RuleCost::run_ns));
  while (sandbox_.Step(&*statement)) rows.push_back(FiguresIn(*statement));
  if (sandbox_.limit().empty() && !statement->status().ok()) {
    diagnosis_->limits.push_back({rule.id, statement->status().message()});
  }
  return rows;
}

// A rule's own limit: further rows are only counted.
void RuleRunner::KeepWanted(const rules::Rule& rule,
                            std::vector<Figures>* rows) {
  const int64_t all = std::ssize(*rows);
  if (rule.max_rows <= 0 || all <= rule.max_rows) return;
  rows->resize(static_cast<size_t>(rule.max_rows));
  diagnosis_->limits.push_back(
      {rule.id,
       fmt::format("found {} in all; the first {} are kept", FormatCount(all),
                   FormatCount(rule.max_rows)),
       true});
}

bool RuleRunner::HitLimit(const rules::Rule& rule) {
  std::string limit = sandbox_.TakeLimit();
  if (limit.empty()) return false;
  diagnosis_->limits.push_back({rule.id, std::move(limit)});
  return true;
}

void RuleRunner::RunWithin(const rules::Rule& rule) {
  const size_t before = diagnosis_->findings.size();
  std::vector<Figures> rows = Rows(rule);
  // If there are too many rows, the first are kept. But how many a rule yields
  // in its time depends on the machine, and a diagnosis must not.
  bool late = HitLimit(rule) && sandbox_.Expired();
  if (late) rows.clear();
  KeepWanted(rule, &rows);
  Question confirm{&rule.confirm, {}, false};
  Question refute{&rule.refute, {}, false};
  for (const Figures& columns : rows) {
    if (!AddRow(rule, columns, &confirm, &refute)) break;
    if (!HitLimit(rule)) continue;
    late = sandbox_.Expired();
    break;
  }
  if (late) diagnosis_->findings.resize(before);
  if (profile_ == nullptr) return;
  profile_->rules.back().rows = std::ssize(rows);
  profile_->rules.back().findings =
      static_cast<int64_t>(diagnosis_->findings.size() - before);
}

void RuleRunner::Run(const rules::Rule& rule) {
  if (profile_ != nullptr) profile_->rules.push_back({.rule = rule.id});
  sandbox_.Restart(budget_.Begin(rule));
  if (NeedsAreMet(rule)) {
    RunWithin(rule);
  } else if (profile_ != nullptr) {
    profile_->rules.back().skipped = true;
  }
  budget_.End(rule, sandbox_.Expired());
}

void RuleRunner::Check(const rules::Rule& rule) {
  for (const std::string* sql : {&rule.sql, &rule.confirm, &rule.refute}) {
    if (sql->empty()) continue;
    sandbox_.Restart(budget_.Begin(rule));
    auto statement = sandbox_.Prepare(*sql);
    if (!statement.ok()) Report(rule, statement.status().message());
  }
}

}  // namespace inquest::findings
