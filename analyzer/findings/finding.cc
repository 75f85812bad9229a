#include "analyzer/findings/finding.h"

#include <algorithm>

namespace inquest::findings {
namespace {

constexpr size_t kMostEvidence = 50;  // kept of one finding
constexpr size_t kLongestList = 64;   // distinct values of one figure

using nlohmann::json;

void MergeValue(json* into, const json& value) {
  if (value.is_array()) {
    for (const json& one : value) MergeValue(into, one);
    return;
  }
  if (*into == value) return;
  if (!into->is_array()) *into = json::array({*into});
  const bool known =
      std::find(into->begin(), into->end(), value) != into->end();
  if (!known && into->size() < kLongestList) into->push_back(value);
}

}  // namespace

bool IsRisk(const Finding& finding) {
  return finding.severity == rules::Severity::kWarning && !finding.survived;
}

bool IsSame(const Evidence& a, const Evidence& b) {
  if (a.line > 0) return a.source == b.source && a.line == b.line;
  return b.line == 0 && a.row == b.row && a.table == b.table &&
         a.process == b.process;
}

void AddEvidence(Finding* finding, Evidence evidence) {
  if (evidence.line > 0) {
    auto [span, is_new] = finding->lines.try_emplace(
        evidence.source, evidence.line, evidence.line);
    span->second.first = std::min(span->second.first, evidence.line);
    span->second.second = std::max(span->second.second, evidence.line);
  }
  if (evidence.time) {
    finding->first_time =
        std::min(finding->first_time.value_or(INT64_MAX), *evidence.time);
    finding->last_time =
        std::max(finding->last_time.value_or(INT64_MIN), *evidence.time);
    finding->time_error = std::max(finding->time_error, evidence.time_error);
  }
  if (finding->evidence.size() < kMostEvidence) {
    finding->evidence.push_back(std::move(evidence));
  }
}

void MergeFigures(json* into, const json& from) {
  for (const auto& [name, value] : from.items()) {
    if (value.is_null()) continue;
    if (const auto found = into->find(name); found != into->end()) {
      MergeValue(&*found, value);
    } else {
      (*into)[name] = value;
    }
  }
}

}  // namespace inquest::findings
