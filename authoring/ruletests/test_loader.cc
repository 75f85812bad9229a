// SPDX-License-Identifier: Apache-2.0
#include "authoring/ruletests/test_loader.h"

#include <filesystem>
#include <set>

#include "analyzer/facts/store/catalogue.h"
#include "authoring/ruletests/test_loader_parts.h"
#include "base/units.h"

namespace inquest::ruletests {
namespace {

using rules::Fields;
using rules::KeySpec;
using rules::Shape;

constexpr KeySpec kFileKeys[] = {{"facts", Shape::kPositive},
                                 {"tests", Shape::kMappings, true}};
constexpr KeySpec kTestKeys[] = {{"name", Shape::kText, true},
                                 {"given", Shape::kMapping, true},
                                 {"expect", Shape::kMapping, true},
                                 {"todo", Shape::kText}};

Test ReadTest(Fields* fields) {
  fields->Check(kTestKeys, "a test");
  Test test;
  test.name = fields->Text("name");
  test.todo = fields->Text("todo");
  test.place = fields->place();
  Fields given = fields->Child("given");
  if (given.value().is_object()) test.given = ReadGiven(&given);
  Fields expect = fields->Child("expect");
  if (expect.value().is_object()) test.expect = ReadExpectation(&expect);
  if (given.failed() || expect.failed()) fields->Fail();
  return test;
}

void CheckVersion(Fields* top) {
  if (top->Number("facts") <= facts::kFactsVersion) return;
  top->Error(
      top->Where("facts"),
      {"T005",
       "the tests are written for version " +
           std::to_string(top->Number("facts")) + " of the facts",
       "this program knows version " + std::to_string(facts::kFactsVersion),
       "use a newer inquest"});
}

void ReadTests(Fields* top, TestFile* file) {
  std::set<std::string> names;
  size_t number = 0;
  for (Fields& fields : top->Children("tests")) {
    Test test = ReadTest(&fields);
    test.pointer = "/tests/" + std::to_string(number++);
    if (!test.name.empty() && !names.insert(test.name).second) {
      fields.Error(fields.Where("name"),
                   {"T015", "the name '" + test.name + "' is used twice", "",
                    "--run and --update find a test by its name"});
    }
    if (fields.failed()) {
      ++file->unread;
    } else {
      file->tests.push_back(std::move(test));
    }
  }
}

}  // namespace

std::optional<int64_t> ReadSize(Fields* fields, std::string_view key) {
  const nlohmann::json& value = fields->Value(key);
  if (value.is_null() && !fields->Has(key)) return {};
  if (value.is_number_integer() && value.get<int64_t>() >= 0) {
    return value.get<int64_t>();
  }
  if (value.is_string()) {
    if (auto bytes = ParseBytes(value.get<std::string>())) return bytes;
  }
  fields->Error(fields->Where(key),
                {"T012", "'" + std::string(key) + "' must be a size", "",
                 "write 512MiB, 2GiB or plain bytes"});
  return {};
}

std::optional<int64_t> ReadInteger(Fields* fields, std::string_view key) {
  const nlohmann::json& value = fields->Value(key);
  if (value.is_null() && !fields->Has(key)) return {};
  if (value.is_number_integer()) return value.get<int64_t>();
  fields->Error(
      fields->Where(key),
      {"T012", "'" + std::string(key) + "' must be a whole number", "", ""});
  return {};
}

TestFile LoadTestFile(const rules::RuleSource& source,
                      Diagnostics* diagnostics) {
  TestFile file;
  file.path = source.name;
  file.text = source.text;
  // "a/x.test.yaml" -> "a/x.test"
  file.fixtures = std::filesystem::path(source.name).replace_extension("");
  rules::YamlDocument document;
  if (!rules::ParseYaml(source.name, source.text, {}, &document, diagnostics)) {
    return file;
  }
  const std::vector<rules::RuleSource> sources = {source};
  rules::Reporter reporter(sources, diagnostics);
  Fields top(document, "", document.root, &reporter);
  top.Check(kFileKeys, "a test file");
  CheckVersion(&top);
  ReadTests(&top, &file);
  return file;
}

}  // namespace inquest::ruletests
