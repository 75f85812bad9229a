// SPDX-License-Identifier: Apache-2.0
// SQL of rules: places of errors, missing columns of messages and parameters,
// and comparisons with columns that may be NULL.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "analyzer/facts/store/catalogue.h"
#include "analyzer/findings/sandbox/sandbox.h"
#include "analyzer/rules/load/yaml.h"
#include "analyzer/rules/model/message_fields.h"
#include "authoring/lint/lint.h"
#include "authoring/lint/nullable.h"
#include "authoring/lint/sql_place.h"
#include "authoring/lint/sql_signatures.h"
#include "base/suggest.h"

namespace inquest::authoring {
namespace {

using Level = Diagnostic::Level;
using Names = std::vector<std::string>;

const std::string& TextOf(const LintSubject& subject, const std::string& file) {
  static const std::string none;
  for (const auto& source : subject.sources) {
    if (source.name == file) return source.text;
  }
  return none;
}

bool Among(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The word that SQLite rejects: no such column: X; near "X": syntax error.
std::string Culprit(const std::string& message) {
  if (const size_t near = message.find("near \""); near != message.npos) {
    const size_t begin = near + 6;
    return message.substr(begin, message.find('"', begin) - begin);
  }
  if (const size_t no = message.find("no such "); no != message.npos) {
    const size_t colon = message.find(": ", no);
    return colon == message.npos ? "" : message.substr(colon + 2);
  }
  return {};
}

// Adds line, caret and a suggestion to what the engine reported about SQL.
void RefineErrors(const LintSubject& subject, Diagnostics* diagnostics) {
  for (Diagnostic& one : *diagnostics) {
    if (one.code != "R044") continue;
    const std::string& text = TextOf(subject, one.file);
    const std::string word = Culprit(one.message);
    for (const rules::Rule& rule : subject.set.rules) {
      const rules::Place& begin = rule.sql_place;
      if (begin.file != one.file || begin.line != one.line) continue;
      const size_t offset = rule.sql.find(word);
      if (word.empty() || offset == std::string::npos) continue;
      const auto place = PlaceInSql(text, begin, rule.sql, offset, word);
      one.line = place.line;
      one.column = place.column;
    }
    one.snippet = rules::LineOf(text, one.line);
    if (one.message.find("no such table") == std::string::npos) continue;
    Names facts;
    for (const auto& fact : facts::Catalogue()) facts.push_back(fact.name);
    const std::string nearest = Nearest(word, facts);
    if (!nearest.empty()) one.help = "did you mean '" + nearest + "'?";
  }
}

// Columns and :parameters of a statement; false if it does not compile, which
// was already reported.
bool Describe(const LintSubject& subject, const std::string& sql,
              Names* columns, Names* parameters) {
  findings::Sandbox sandbox(&subject.store->db(), {});
  auto statement = sandbox.Prepare(sql);
  if (!statement.ok()) return false;
  for (int i = 0; i < statement->columns(); ++i) {
    columns->emplace_back(statement->ColumnName(i));
  }
  for (int i = 0; i < statement->parameters(); ++i) {
    const std::string_view name = statement->ParameterName(i);
    if (!name.empty()) parameters->emplace_back(name);
  }
  return true;
}

void Missing(const LintSubject& subject, const rules::Rule& rule,
             const std::string& what, const std::string& name,
             const Names& columns, Diagnostics* diagnostics) {
  if (Among(columns, name)) return;
  diagnostics->push_back(Remark(
      subject, Level::kWarning, rule.place, "R036",
      fmt::format("{} of '{}' uses a column '{}'", what, rule.id, name),
      "the rule's SELECT does not return it", DidYouMean(name, columns)));
}

// What the engine adds to a finding, or what a line tells of the whole run.
bool IsOfRun(const LintSubject& subject, const std::string& figure) {
  return figure == "phase" || figure == "place" ||
         std::ranges::any_of(
             subject.set.signatures, [&](const rules::Signature& one) {
               return one.id.starts_with("settings.") &&
                      (one.set.Contains(figure) || one.types.contains(figure));
             });
}

void LintFigures(const LintSubject& subject, const rules::Rule& rule,
                 const Names& columns, Diagnostics* diagnostics) {
  for (const std::string& name : rules::FieldsOf(rule.message)) {
    Missing(subject, rule, "the message", name, columns, diagnostics);
  }
  for (const rules::Fix& fix : rule.fix) {
    Names names = rules::FieldsOf(fix.text + fix.command);
    for (const auto* conditions : {&fix.applies_if, &fix.unless}) {
      for (const rules::Condition& one : *conditions) {
        if (!IsOfRun(subject, one.figure)) names.push_back(one.figure);
      }
    }
    for (const std::string& name : names) {
      Missing(subject, rule, "a fix", name, columns, diagnostics);
    }
  }
  for (const std::string* sql : {&rule.confirm, &rule.refute}) {
    Names ignored;
    Names parameters;
    if (sql->empty() || !Describe(subject, *sql, &ignored, &parameters)) {
      continue;
    }
    for (const std::string& name : parameters) {
      Missing(subject, rule, sql == &rule.confirm ? "confirm" : "refute", name,
              columns, diagnostics);
    }
  }
  for (const rules::Exception& exception : rule.exceptions) {
    std::set<std::string> names;
    for (const auto& tuple : exception.tuples) {
      for (const auto& [name, value] : tuple) names.insert(name);
    }
    for (const std::string& name : names) {
      Missing(subject, rule, "an exception", name, columns, diagnostics);
    }
  }
}

void LintNullable(const LintSubject& subject, const rules::Rule& rule,
                  Diagnostics* diagnostics) {
  const std::string& text = TextOf(subject, rule.sql_place.file);
  Names dropped;
  rules::Place first;
  for (const NullableUse& use : NullableUses(rule.sql)) {
    const auto place =
        PlaceInSql(text, rule.sql_place, rule.sql, use.offset, use.column);
    if (!use.negated) {
      if (dropped.empty()) first = place;
      if (!Among(dropped, use.column)) dropped.push_back(use.column);
      continue;
    }
    diagnostics->push_back(Remark(
        subject, Level::kWarning, place, "R077",
        fmt::format("'{} {}' also leaves out rows whose {} is NULL", use.column,
                    use.sign, use.column),
        "the fact may not know it, and a comparison with NULL is never true",
        fmt::format("write coalesce({}, …), or {} IS NOT … to keep them",
                    use.column, use.column)));
  }
  if (dropped.empty()) return;
  diagnostics->push_back(Remark(
      subject, Level::kNote, first, "R077",
      fmt::format("'{}' skips rows whose {} is NULL", rule.id,
                  fmt::join(dropped, ", ")),
      "these columns can be NULL, and a comparison with NULL is never true",
      "if that is intended, nothing to do; else write IS NOT NULL or "
      "coalesce"));
}

void LintSignatures(const LintSubject& subject, const rules::Rule& rule,
                    const Names& known, Diagnostics* diagnostics) {
  const std::string& text = TextOf(subject, rule.sql_place.file);
  for (const SignatureName& name : SignaturesIn(rule.sql)) {
    if (std::binary_search(known.begin(), known.end(), name.id)) continue;
    const auto place = PlaceInSql(text, rule.sql_place, rule.sql, name.offset,
                                  "'" + name.id + "'");
    diagnostics->push_back(
        Remark(subject, Level::kWarning, place, "R082",
               fmt::format("'{}' uses a signature '{}'", rule.id, name.id),
               "there is no such id, so it never finds a line",
               DidYouMean(name.id, known)));
  }
}

// Includes disabled ones: they may be enabled again.
Names SignatureIds(const rules::RuleSet& set) {
  Names ids;
  for (const auto& one : set.signatures) ids.push_back(one.id);
  for (const auto& one : set.disabled_signatures) ids.push_back(one.id);
  std::sort(ids.begin(), ids.end());
  return ids;
}

}  // namespace

void LintSql(const LintSubject& subject, Diagnostics* diagnostics) {
  RefineErrors(subject, diagnostics);
  const Names signatures = SignatureIds(subject.set);
  for (const rules::Rule& rule : subject.set.rules) {
    Names columns;
    Names parameters;
    if (!Describe(subject, rule.sql, &columns, &parameters)) continue;
    LintFigures(subject, rule, columns, diagnostics);
    LintNullable(subject, rule, diagnostics);
    LintSignatures(subject, rule, signatures, diagnostics);
  }
}

}  // namespace inquest::authoring
