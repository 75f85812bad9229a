// SPDX-License-Identifier: Apache-2.0
// Reads `expect:` of a test.
#include "analyzer/rules/model/taxonomy.h"
#include "authoring/ruletests/test_loader_parts.h"
#include "base/figures_json.h"
#include "base/suggest.h"

namespace inquest::ruletests {
namespace {

using nlohmann::json;
using rules::Fields;
using rules::KeySpec;
using rules::Shape;

constexpr KeySpec kExpectKeys[] = {
    {"verdict", Shape::kAny},       {"findings", Shape::kList},
    {"explained", Shape::kMapping}, {"absent", Shape::kTextOrTexts},
    {"skipped", Shape::kAny},       {"facts", Shape::kMapping},
    {"exact", Shape::kBool}};
constexpr KeySpec kFindingKeys[] = {
    {"cause", Shape::kTextOrTexts}, {"rule", Shape::kText},
    {"role", Shape::kText},         {"severity", Shape::kText},
    {"confidence", Shape::kText},   {"evidence", Shape::kText},
    {"line", Shape::kPositive},     {"rank", Shape::kAny},
    {"device", Shape::kAny},        {"facts", Shape::kMapping}};
constexpr std::pair<std::string_view, int> kRoles[] = {{"root", 0},
                                                       {"contributing", 0},
                                                       {"symptom", 0},
                                                       {"unexplained", 0},
                                                       {"note", 0}};
constexpr std::pair<std::string_view, int> kSeverities[] = {
    {"note", 0}, {"warning", 0}, {"error", 0}};
constexpr std::pair<std::string_view, int> kConfidences[] = {
    {"possible", 0}, {"probable", 0}, {"confirmed", 0}};

FindingExpectation ReadFinding(Fields* fields, std::string_view what) {
  fields->Check(kFindingKeys, what);
  FindingExpectation expected;
  expected.causes = fields->Texts("cause");
  expected.rule = fields->Text("rule");
  expected.role = fields->Text("role");
  fields->Choice("role", kRoles, 0);
  expected.severity = fields->Text("severity");
  fields->Choice("severity", kSeverities, 0);
  expected.confidence = fields->Text("confidence");
  fields->Choice("confidence", kConfidences, 0);
  expected.evidence = fields->Text("evidence");
  if (fields->Has("line")) expected.line = fields->Number("line");
  expected.rank = ReadInteger(fields, "rank");
  expected.device = ReadInteger(fields, "device");
  if (fields->Value("facts").is_object()) {
    expected.facts = ToFigures(fields->Value("facts"));
  }
  return expected;
}

FindingExpectation ReadVerdict(Fields* fields) {
  if (fields->Value("verdict").is_object()) {
    Fields mapping = fields->Child("verdict");
    FindingExpectation expected = ReadFinding(&mapping, "'verdict'");
    if (mapping.failed()) fields->Fail();
    return expected;
  }
  FindingExpectation expected;
  expected.causes = fields->Texts("verdict");
  if (expected.causes.empty()) {
    fields->Error(fields->Where("verdict"),
                  {"T012",
                   "'verdict' must be a cause, a list of acceptable "
                   "causes, or a mapping",
                   "", "verdict: {cause: memory/leak, confidence: confirmed}"});
  }
  return expected;
}

// "memory/leak" is a cause, "torch.oom" the id of a rule or signature.
FindingExpectation FromWord(const std::string& word) {
  FindingExpectation expected;
  if (word.find('/') != word.npos) {
    expected.causes = {word};
  } else {
    expected.rule = word;
  }
  return expected;
}

void ReadFindings(Fields* fields, Expectation* expect) {
  const json& list = fields->Value("findings");
  for (size_t i = 0; list.is_array() && i < list.size(); ++i) {
    const std::string where = "findings/" + std::to_string(i);
    if (list[i].is_string()) {
      expect->findings.push_back(FromWord(list[i].get<std::string>()));
      continue;
    }
    Fields one(fields->document(), fields->pointer() + "/" + where, list[i],
               fields->reporter());
    expect->findings.push_back(ReadFinding(&one, "a finding"));
    if (one.failed()) fields->Fail();
  }
}

std::vector<Pair> ReadPairs(Fields* fields, std::string_view key) {
  std::vector<Pair> pairs;
  for (const std::string& one : fields->Texts(key)) pairs.push_back({one, ""});
  const json& value = fields->Value(key);
  if (!value.is_object()) return pairs;
  for (const auto& [what, by] : value.items()) {
    if (by.is_string()) {
      pairs.push_back({what, by.get<std::string>()});
    } else {
      fields->Error(fields->Where(key),
                    {"T012", "'" + what + "' must be a text", "", ""});
    }
  }
  return pairs;
}

}  // namespace

Expectation ReadExpectation(Fields* fields) {
  fields->Check(kExpectKeys, "'expect'");
  Expectation expect;
  if (fields->Has("verdict")) expect.verdict = ReadVerdict(fields);
  ReadFindings(fields, &expect);
  expect.explained = ReadPairs(fields, "explained");
  expect.absent = fields->Texts("absent");
  expect.skipped = ReadPairs(fields, "skipped");
  if (fields->Value("facts").is_object()) {
    expect.facts = ToFigures(fields->Value("facts"));
  }
  expect.exact = fields->Bool("exact");
  if (fields->value().empty()) {
    fields->Error(fields->place(), {"T012", "'expect' is empty", "",
                                    "expect: {verdict: memory/capacity}"});
  }
  return expect;
}

}  // namespace inquest::ruletests
