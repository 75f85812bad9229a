// SPDX-License-Identifier: Apache-2.0
#include "analyzer/rules/load/format.h"

#include "analyzer/rules/load/format_words.h"

namespace inquest::rules {
namespace {

constexpr auto kRoleWords = WordsOf(kSignatureRoles);
constexpr auto kRuleRoleWords = WordsOf(kRuleRoles);
constexpr auto kSeverityWords = WordsOf(kSeverities);
constexpr auto kStageWords = WordsOf(kStages);
constexpr auto kConfidenceWords = WordsOf(kConfidences);
constexpr auto kTypeWords = WordsOf(kCaptureTypes);
constexpr auto kKindWords = WordsOf(kKinds);
constexpr auto kScopeWords = WordsOf(kScopes);
constexpr auto kOrderWords = WordsOf(kOrders);
constexpr auto kSourceWords = WordsOf(kSources);
constexpr auto kFactWords = WordsOf(kNamedFacts);
constexpr auto kActionWords = WordsOf(kActions);

constexpr std::string_view kIdForm = "^[a-z0-9_-]+(\\.[a-z0-9_-]+)*$";
constexpr std::string_view kCauseForm =
    "^([a-z0-9-]+/[a-z0-9-]+|none|unknown)$";
constexpr std::string_view kTimeForm = "^[0-9.]+ ?[a-z]+$";

// Descriptions that several tables share.
constexpr std::string_view kIdMeaning =
    "Stable name: small letters, digits, '_' and '-', parts joined by dots";
constexpr std::string_view kAliasesMeaning =
    "Former ids; they still work everywhere";
constexpr std::string_view kTitleMeaning = "One clause: what happened";
constexpr std::string_view kCauseMeaning = "Id of a cause of death: area/name";
constexpr std::string_view kSeverityMeaning =
    "Only errors can be the verdict; warnings are risks, notes are remarks";
constexpr std::string_view kStatusMeaning =
    "Maturity: experimental is not yet trusted, deprecated is kept for "
    "existing references";
constexpr std::string_view kFixMeaning = "What to do, best first";
constexpr std::string_view kReferencesMeaning =
    "Titles or addresses of documents";
constexpr std::string_view kFalseMeaning =
    "Known false positives, for the reader of a report";

constexpr KeySpec kFixKeys[] = {
    {"action", Shape::kText, false, "What kind of step it is", kActionWords},
    {"text", Shape::kText, true, "The step, as an imperative"},
    {"command", Shape::kText, false, "What to type, or to write in the code"},
    {"url", Shape::kText, false, "Documentation of the step"},
    {"when", Shape::kTextOrTexts, false,
     "The framework (torch, tensorflow, jax), the vendor (nvidia, amd, …) or "
     "the platform (windows, …) that the run must have for the step to apply; "
     "of a list, all"},
    {"applies_if", Shape::kCondition, false,
     "A figure of the finding or of the run; the step is shown only if the "
     "figure exists and is neither 0 nor empty. Of a mapping, all figures must "
     "have the value, or one of the list of values, or lie within a bound "
     "('>= 1 GiB', '< 4'); true means any"},
    {"unless", Shape::kCondition, false,
     "The same; the step is left out if one of these holds"},
};
constexpr MappingSpec kFix = {"fix", "a fix", "One step of what to do",
                              kFixKeys};

constexpr KeySpec kPatternKeys[] = {
    {"re", Shape::kText, true, "RE2 expression, as under `pattern`"},
    {"sample", Shape::kSample, false,
     "A line that this pattern must match, and no earlier one of the list"},
};
constexpr MappingSpec kPattern = {"pattern", "a pattern",
                                  "One form of the line, with its sample",
                                  kPatternKeys};

constexpr KeySpec kSampleKeys[] = {
    {"match", Shape::kSamples, false,
     "Lines that must match, without their prefixes; figures named beside a "
     "line must come out as written"},
    {"no_match", Shape::kSamples, false, "Look-alikes that must not match"},
};
constexpr MappingSpec kSamples = {"samples", "'samples'",
                                  "Lines that test a signature", kSampleKeys};

constexpr KeySpec kSignatureKeys[] = {
    {"id", Shape::kText, true, kIdMeaning, {}, nullptr, kIdForm},
    {"aliases", Shape::kTexts, false, kAliasesMeaning},
    {"status", Shape::kText, false, kStatusMeaning, kStageWords},
    {"source", Shape::kText, false, "Which logs it looks at", kSourceWords},
    {"pattern",
     Shape::kPattern,
     true,
     "RE2 expression, searched anywhere in the line; (?P<name>…) and "
     "{name:bytes} capture. A list is tried in order",
     {},
     &kPattern},
    {"unless", Shape::kText, false,
     "RE2 expression; a line that also matches this is ignored"},
    {"code", Shape::kText, false,
     "Figure for the name of the code that error_name, error_text or "
     "error_number selects from the file's `codes`; a line without such a code "
     "is ignored"},
    {"types", Shape::kWordByName, false, "The type of each capture",
     kTypeWords},
    {"set", Shape::kScalarByName, false, "Constant figures"},
    {"repeat", Shape::kBool, false,
     "true: every occurrence in the line is a separate event"},
    {"role", Shape::kText, true, "What the line means for the run", kRoleWords},
    {"cause", Shape::kText, false, kCauseMeaning, {}, nullptr, kCauseForm},
    {"fact", Shape::kText, false, "A named fact that the event also fills",
     kFactWords},
    {"severity", Shape::kText, false, kSeverityMeaning, kSeverityWords},
    {"title", Shape::kText, false, kTitleMeaning},
    {"message", Shape::kText, false,
     "One sentence with {figure} and {figure|bytes}"},
    {"fix", Shape::kMappings, false, kFixMeaning, {}, &kFix},
    {"falsepositives", Shape::kTexts, false, kFalseMeaning},
    {"references", Shape::kTexts, false, kReferencesMeaning},
    {"samples", Shape::kMapping, false, kSamples.meaning, {}, &kSamples},
};
constexpr MappingSpec kSignature = {
    "signature", "a signature",
    "Log line to fact: recognises one line of a log", kSignatureKeys};

constexpr KeySpec kCodeKeys[] = {
    {"number", Shape::kAny, false, "Its number"},
    {"name", Shape::kTextOrTexts, false, "Its symbol; the canonical one first"},
    {"text", Shape::kTextOrTexts, false, "The library's description"},
    {"cause",
     Shape::kText,
     false,
     "The cause if nothing else is known; `none`: it is not an error",
     {},
     nullptr,
     kCauseForm},
};
constexpr MappingSpec kCode = {
    "code", "a code", "A row of a vocabulary of error codes", kCodeKeys};

constexpr KeySpec kExceptionKeys[] = {
    {"name", Shape::kText, true, "Why these are exceptions, in a word or two"},
    {"where", Shape::kTuple, false,
     "Column to value, or to a list of alternatives; all columns must match"},
    {"fields", Shape::kTexts, false, "Columns of `values`"},
    {"values", Shape::kTuples, false,
     "Lists of values, one for each of `fields`; a row that equals one of "
     "them is left out"},
};
constexpr MappingSpec kException = {
    "exception", "an exception", "Rows that a rule leaves out", kExceptionKeys};

constexpr KeySpec kLimitKeys[] = {
    {"rows", Shape::kPositive, false,
     "Maximum number of rows; may only lower the default"},
    {"milliseconds", Shape::kPositive, false,
     "Maximum time; may only lower the default"},
};
constexpr MappingSpec kLimits = {"limits", "'limits'", "Budgets of a rule",
                                 kLimitKeys};

constexpr KeySpec kRuleKeys[] = {
    {"id", Shape::kText, true, kIdMeaning, {}, nullptr, kIdForm},
    {"aliases", Shape::kTexts, false, kAliasesMeaning},
    {"title", Shape::kText, true, kTitleMeaning},
    {"cause", Shape::kText, true, kCauseMeaning, {}, nullptr, kCauseForm},
    {"status", Shape::kText, false, kStatusMeaning, kStageWords},
    {"severity", Shape::kText, false, kSeverityMeaning, kSeverityWords},
    {"role", Shape::kText, false, "What a row means for the run",
     kRuleRoleWords},
    {"needs", Shape::kNeeds, false,
     "Facts that must have rows, and id:GLOB of signatures that must have "
     "matched; a list inside the list: any of them"},
    {"sql", Shape::kText, true,
     "One read-only SELECT over the facts; each row is a finding"},
    {"confidence", Shape::kText, false, "What a row proves by itself",
     kConfidenceWords},
    {"confirm", Shape::kText, false,
     "SELECT with :column parameters; a row raises to confirmed"},
    {"refute", Shape::kText, false,
     "SELECT with :column parameters; a row drops the finding"},
    {"message", Shape::kText, true,
     "One sentence with {column} and {column|bytes}"},
    {"fix", Shape::kMappings, false, kFixMeaning, {}, &kFix},
    {"falsepositives", Shape::kTexts, false, kFalseMeaning},
    {"exceptions",
     Shape::kMappings,
     false,
     "Rows to leave out",
     {},
     &kException},
    {"references", Shape::kTexts, false, kReferencesMeaning},
    {"limits", Shape::kMapping, false, kLimits.meaning, {}, &kLimits},
};
constexpr MappingSpec kRule = {
    "rule", "a rule", "Facts to findings: one SELECT, each row is a finding",
    kRuleKeys};

constexpr KeySpec kRelationKeys[] = {
    {"from", Shape::kTextOrTexts, true,
     "Causes (memory/*) or ids (id:torch.oom*), '*' matches any text"},
    {"to", Shape::kTextOrTexts, true, "The same, for the other end"},
    {"kind", Shape::kText, true,
     "explains: `to` is a consequence of `from`; refines: both describe the "
     "same failure, `from` more exactly; excludes: if `from` holds, `to` "
     "cannot",
     kKindWords},
    {"scope", Shape::kText, false, "Where both must have happened",
     kScopeWords},
    {"order", Shape::kText, false, "before: `from` is not later than `to`",
     kOrderWords},
    {"within",
     Shape::kText,
     false,
     "Maximum time between them: 60s, 30min",
     {},
     nullptr,
     kTimeForm},
    {"same", Shape::kTextOrTexts, false,
     "Figures that name what both are about, such as a node's id: where both "
     "findings have one, they must share a value of it"},
    {"why", Shape::kText, true, "The reason; printed in the report"},
};
constexpr MappingSpec kRelation = {"relation", "a relation",
                                   "Link between two findings", kRelationKeys};

constexpr KeySpec kOverrideKeys[] = {
    {"id", Shape::kText, true,
     "Rule or signature of an earlier file; '*' matches any text"},
    {"disabled", Shape::kBool, false, "true: it is not applied"},
    {"why", Shape::kText, false, "Why this site differs"},
    {"title", Shape::kText, false, kTitleMeaning},
    {"status", Shape::kText, false, kStatusMeaning, kStageWords},
    {"severity", Shape::kText, false, kSeverityMeaning, kSeverityWords},
    {"message", Shape::kText, false, "Replaces the message"},
    {"fix", Shape::kMappings, false, "Replaces the steps", {}, &kFix},
    {"falsepositives", Shape::kTexts, false, "Replaces the list"},
    {"exceptions",
     Shape::kMappings,
     false,
     "Added to those of the rule",
     {},
     &kException},
    {"references", Shape::kTexts, false, "Replaces the list"},
    {"limits", Shape::kMapping, false, "Replaces the rule's", {}, &kLimits},
};
constexpr MappingSpec kOverride = {
    "override", "an override",
    "Changes single fields of entries of earlier files", kOverrideKeys};

constexpr KeySpec kPackKeys[] = {
    {"name", Shape::kText, true, "Name of the pack"},
    {"version",
     Shape::kText,
     true,
     "Its version: 1.2.0",
     {},
     nullptr,
     "^[0-9]+(\\.[0-9]+)*([.+-][0-9A-Za-z.+-]+)?$"},
};
constexpr MappingSpec kPack = {"pack", "'pack'", "The pack a file belongs to",
                               kPackKeys};

constexpr KeySpec kFileKeys[] = {
    {"facts", Shape::kPositive, true,
     "Version of the facts that the file was written for"},
    {"pack", Shape::kNameOrMapping, false, kPack.meaning, {}, &kPack},
    {"fragments", Shape::kTextsByName, false,
     "Pieces of expressions by name, for patterns of this file: {:name} "
     "inserts one, {figure:name} captures it; a list is alternatives"},
    {"codes",
     Shape::kMappings,
     false,
     "A vocabulary of error codes, for signatures of this file with the key "
     "`code`: {error_name:code_name} and {error_text:code_text} capture any of "
     "its names and texts",
     {},
     &kCode},
    {"signatures",
     Shape::kMappings,
     false,
     kSignature.meaning,
     {},
     &kSignature},
    {"rules", Shape::kMappings, false, kRule.meaning, {}, &kRule},
    {"relations", Shape::kMappings, false, kRelation.meaning, {}, &kRelation},
    {"overrides", Shape::kMappings, false, kOverride.meaning, {}, &kOverride},
};
constexpr MappingSpec kFile = {"file", "a rule file",
                               "A file of signatures, rules and relations",
                               kFileKeys};

constexpr const MappingSpec* kAll[] = {
    &kFile, &kPack,      &kSignature, &kPattern, &kSamples,  &kCode,
    &kRule, &kException, &kLimits,    &kFix,     &kRelation, &kOverride};

}  // namespace

const MappingSpec& FileFormat() {
  return kFile;
}
const MappingSpec& PackFormat() {
  return kPack;
}
const MappingSpec& SignatureFormat() {
  return kSignature;
}
const MappingSpec& CodeFormat() {
  return kCode;
}
const MappingSpec& PatternFormat() {
  return kPattern;
}
const MappingSpec& SamplesFormat() {
  return kSamples;
}
const MappingSpec& RuleFormat() {
  return kRule;
}
const MappingSpec& ExceptionFormat() {
  return kException;
}
const MappingSpec& LimitsFormat() {
  return kLimits;
}
const MappingSpec& FixFormat() {
  return kFix;
}
const MappingSpec& RelationFormat() {
  return kRelation;
}
const MappingSpec& OverrideFormat() {
  return kOverride;
}

std::span<const MappingSpec* const> AllFormats() {
  return kAll;
}

const KeySpec* FindKey(const MappingSpec& mapping, std::string_view name) {
  for (const KeySpec& key : mapping.keys) {
    if (key.name == name) return &key;
  }
  return nullptr;
}

}  // namespace inquest::rules
