// Entries of `rules:`.

#include "analyzer/rules/loader_parts.h"

namespace inquest::rules {
namespace {

using nlohmann::json;

constexpr KeySpec kKeys[] = {
    {"id", Shape::kText, true},      {"title", Shape::kText, true},
    {"cause", Shape::kText, true},   {"severity", Shape::kText},
    {"role", Shape::kText},          {"needs", Shape::kTexts},
    {"sql", Shape::kText, true},     {"confidence", Shape::kText},
    {"confirm", Shape::kText},       {"refute", Shape::kText},
    {"message", Shape::kText, true}, {"fix", Shape::kMappings},
    {"references", Shape::kTexts},   {"falsepositives", Shape::kTexts},
    {"status", Shape::kText},        {"exceptions", Shape::kMappings},
    {"limits", Shape::kMapping}};
constexpr KeySpec kExceptionKeys[] = {{"name", Shape::kText, true},
                                      {"where", Shape::kMapping, true}};
constexpr KeySpec kLimitKeys[] = {{"rows", Shape::kPositive},
                                  {"milliseconds", Shape::kPositive}};

constexpr std::pair<std::string_view, Role> kRoles[] = {
    {"cause", Role::kCause},
    {"symptom", Role::kSymptom},
    {"note", Role::kNote}};
constexpr std::pair<std::string_view, Confidence> kConfidences[] = {
    {"possible", Confidence::kPossible},
    {"probable", Confidence::kProbable},
    {"confirmed", Confidence::kConfirmed}};

std::vector<Exception> ReadExceptions(Fields* fields) {
  std::vector<Exception> exceptions;
  for (Fields& entry : fields->Children("exceptions")) {
    entry.Check(kExceptionKeys, "an exception");
    const json& where = entry.Value("where");
    if (where.is_object() && where.empty()) {
      entry.Error(entry.Where("where"),
                  {"R012", "'where' is empty", "it would except every row",
                   "name the column and the value that are excepted"});
    }
    if (entry.failed()) fields->Fail();
    exceptions.push_back({entry.Text("name"), where});
  }
  return exceptions;
}

void ReadLimits(Fields* fields, Rule* rule) {
  if (!fields->Value("limits").is_object()) return;
  Fields limits = fields->Child("limits");
  limits.Check(kLimitKeys, "'limits'");
  if (limits.failed()) fields->Fail();
  rule->max_rows = limits.Number("rows");
  rule->max_milliseconds = limits.Number("milliseconds");
}

}  // namespace

void ReadRule(Fields fields, const PackInfo& pack, RuleSet* set) {
  fields.Check(kKeys, "a rule");
  Rule rule;
  rule.id = ReadId(&fields);
  rule.title = fields.Text("title");
  rule.cause = ReadCause(&fields);
  rule.role = fields.Choice("role", kRoles, Role::kCause);
  rule.severity = ReadSeverity(&fields);
  rule.status = ReadStage(&fields);
  rule.confidence =
      fields.Choice("confidence", kConfidences, Confidence::kProbable);
  rule.needs = fields.Texts("needs");
  rule.sql = fields.Text("sql");
  rule.confirm = fields.Text("confirm");
  rule.refute = fields.Text("refute");
  rule.message = fields.Text("message");
  rule.fix = ReadFixes(&fields);
  rule.references = fields.Texts("references");
  rule.falsepositives = fields.Texts("falsepositives");
  rule.exceptions = ReadExceptions(&fields);
  ReadLimits(&fields, &rule);
  rule.pack = pack.name;
  rule.place = fields.place();
  rule.sql_place = fields.Where("sql");
  if (!fields.failed()) set->rules.push_back(std::move(rule));
}

}  // namespace inquest::rules
