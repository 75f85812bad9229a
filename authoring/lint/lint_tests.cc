// SPDX-License-Identifier: Apache-2.0
// Rules without tests: no test file beside the rule file, or none that names
// them.
// `rules test` runs the tests. Signatures have samples; the tests of the
// built-in pack are in the source tree.

#include <filesystem>
#include <map>
#include <set>

#include "analyzer/rules/load/yaml.h"
#include "authoring/lint/lint.h"

namespace inquest::authoring {
namespace {

using Level = Diagnostic::Level;
using nlohmann::json;
namespace fs = std::filesystem;

// Every text in a test file.
void Collect(const json& value, std::set<std::string>* texts) {
  if (value.is_string()) texts->insert(value.get<std::string>());
  if (!value.is_structured()) return;
  for (const auto& [key, inner] : value.items()) {
    if (value.is_object()) texts->insert(key);
    Collect(inner, texts);
  }
}

// Empty if the file is missing or not YAML, which `rules test` reports.
std::set<std::string> TextsOf(const fs::path& path) {
  std::set<std::string> texts;
  const auto sources = rules::ReadRuleDirectory(path.string());
  if (!sources.ok() || sources->empty()) return texts;
  rules::YamlDocument document;
  Diagnostics unused;
  if (rules::ParseYaml(path.string(), sources->front().text, {}, &document,
                       &unused)) {
    Collect(document.root, &texts);
  }
  return texts;
}

void LintFile(const LintSubject& subject, const std::string& file,
              const std::vector<const rules::Rule*>& all,
              Diagnostics* diagnostics) {
  const fs::path path = fs::path(file).replace_extension(".test.yaml");
  std::error_code error;
  if (!fs::exists(path, error)) {
    diagnostics->push_back(
        Remark(subject, Level::kWarning, all.front()->place, "R076",
               "the rules of this file have no tests (" +
                   std::to_string(all.size()) + ")",
               "a rule that never fired in a test is a guess",
               "write " + path.filename().string() + " beside it"));
    return;
  }
  const std::set<std::string> texts = TextsOf(path);
  for (const rules::Rule* rule : all) {
    if (texts.contains(rule->id) || texts.contains(rule->cause)) continue;
    diagnostics->push_back(Remark(
        subject, Level::kWarning, rule->place, "R076",
        "no test names the rule '" + rule->id + "'",
        path.filename().string() + " contains neither its id nor its cause",
        "add a case in which it fires and one in which it does not"));
  }
}

}  // namespace

void LintTests(const LintSubject& subject, Diagnostics* diagnostics) {
  std::map<std::string, std::vector<const rules::Rule*>> by_file;
  for (const rules::Rule& rule : subject.set.rules) {
    if (rule.place.file.starts_with("built-in/")) continue;
    by_file[rule.place.file].push_back(&rule);
  }
  for (const auto& [file, all] : by_file) {
    LintFile(subject, file, all, diagnostics);
  }
}

}  // namespace inquest::authoring
