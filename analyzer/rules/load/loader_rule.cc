// SPDX-License-Identifier: Apache-2.0
// Entries of `rules:`.

#include "analyzer/rules/load/format_words.h"
#include "analyzer/rules/load/loader_parts.h"

namespace inquest::rules {
namespace {

using nlohmann::json;

// A list inside the needs means any of its facts.
void ReadNeeds(const Fields& fields, Rule* rule) {
  const json& needs = fields.Value("needs");
  if (!needs.is_array()) return;
  for (const json& one : needs) {
    if (one.is_string()) {
      rule->needs.push_back(one.get<std::string>());
    } else if (one.is_array()) {
      rule->needs_any.push_back(one.get<std::vector<std::string>>());
    }
  }
}

}  // namespace

void ReadRule(Fields fields, const PackInfo& pack, RuleSet* set) {
  fields.Check(RuleFormat());
  Rule rule;
  rule.id = ReadId(&fields);
  rule.aliases = ReadAliases(&fields);
  rule.title = fields.Text("title");
  rule.cause = ReadCause(&fields);
  rule.role = fields.Choice("role", kRuleRoles, Role::kCause);
  rule.severity = ReadSeverity(&fields);
  rule.status = ReadStage(&fields);
  rule.confidence =
      fields.Choice("confidence", kConfidences, Confidence::kProbable);
  if (!fields.failed()) ReadNeeds(fields, &rule);
  rule.sql = fields.Text("sql");
  rule.confirm = fields.Text("confirm");
  rule.refute = fields.Text("refute");
  rule.message = fields.Text("message");
  rule.fix = ReadFixes(&fields);
  rule.references = fields.Texts("references");
  rule.falsepositives = fields.Texts("falsepositives");
  rule.exceptions = ReadExceptions(&fields);
  ReadLimits(&fields, &rule.max_rows, &rule.max_milliseconds);
  rule.pack = pack.name;
  rule.place = fields.place();
  rule.sql_place = fields.Where("sql");
  if (!fields.failed()) set->rules.push_back(std::move(rule));
}

}  // namespace inquest::rules
