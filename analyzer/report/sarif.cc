// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/sarif.h"

#include "base/json_text.h"
#include "base/text.h"
#include "base/units.h"

namespace inquest::report {
namespace {

using nlohmann::json;

constexpr size_t kLongestMessage = 4000;

json Message(const std::string& text) {
  return {{"text", Printable(text, kLongestMessage)}};
}

// RFC 3986: a path as a reference; absolute ones name their scheme.
std::string Uri(const std::string& path) {
  constexpr std::string_view kPlain = "-._~/";
  std::string uri = path.starts_with('/') ? "file://" : "";
  for (const char c : path) {
    if (IsAlpha(c) || IsDigit(c) || kPlain.find(c) != kPlain.npos) {
      uri += c;
      continue;
    }
    constexpr std::string_view kHex = "0123456789ABCDEF";
    const auto byte = static_cast<unsigned char>(c);
    uri += {'%', kHex[byte >> 4], kHex[byte & 15]};
  }
  return uri;
}

}  // namespace

SarifLog::SarifLog(const std::string& tool_version) : version_(tool_version) {}

size_t SarifLog::Rule(const std::string& id, const std::string& title,
                      const std::string& explanation) {
  for (size_t i = 0; i < rules_.size(); ++i) {
    if (rules_[i]["id"] == id) return i;
  }
  json rule = {{"id", id}};
  if (!title.empty()) rule["shortDescription"] = Message(title);
  if (!explanation.empty()) rule["fullDescription"] = Message(explanation);
  rules_.push_back(std::move(rule));
  return rules_.size() - 1;
}

json& SarifLog::AddResult(const std::string& rule, size_t number,
                          std::string_view level, const std::string& message) {
  results_.push_back({{"ruleId", rule},
                      {"ruleIndex", number},
                      {"level", level},
                      {"message", Message(message)}});
  return results_.back();
}

void SarifLog::SetProperties(json properties) {
  properties_ = std::move(properties);
}

std::string SarifLog::Text() const {
  json run = {
      {"tool",
       {{"driver",
         {{"name", "inquest"}, {"version", version_}, {"rules", rules_}}}}},
      {"columnKind", "utf16CodeUnits"},
      {"results", results_}};
  if (!properties_.is_null()) run["properties"] = properties_;
  const json log = {
      {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
      {"version", "2.1.0"},
      {"runs", {run}}};
  return JsonText(log, 2) + "\n";
}

json SarifPlace(const std::string& path, int64_t line, int64_t column,
                const std::string& text) {
  json place = {{"artifactLocation", {{"uri", Uri(path)}}}};
  if (line > 0) {
    place["region"] = {{"startLine", line}};
    if (column > 0) place["region"]["startColumn"] = column;
    if (!text.empty()) place["region"]["snippet"] = Message(text);
  }
  return {{"physicalLocation", place}};
}

}  // namespace inquest::report
