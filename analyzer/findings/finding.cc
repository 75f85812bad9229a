// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/finding.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"

namespace inquest::findings {
namespace {

constexpr size_t kMaxEvidence = 50;    // kept of one finding
constexpr size_t kMaxListLength = 64;  // distinct values of one figure

void MergeValue(Figure* into, const Figure& value) {
  if (value == *into) return;
  Figure::List list = into->AsList();
  for (const Figure& one : value.AsList()) {
    const bool known = std::find(list.begin(), list.end(), one) != list.end();
    if (!known && list.size() < kMaxListLength) list.push_back(one);
  }
  if (into->IsList() || list.size() > 1) *into = std::move(list);
}

// "errors.OutOfMemory: OOM when allocating" without the exception's name.
std::string_view WithoutName(std::string_view line) {
  const size_t colon = line.find(": ");
  return colon == line.npos ? line : line.substr(colon + 2);
}

}  // namespace

bool IsRisk(const Finding& finding) {
  return finding.severity == rules::Severity::kWarning && !finding.survived;
}

bool IsRemark(const Finding& finding) {
  return finding.severity == rules::Severity::kNote && !finding.survived &&
         finding.standing == Standing::kNote && finding.lines.empty();
}

bool MayBeOneHost(const std::string& a, const std::string& b) {
  return a.empty() || b.empty() || a == b;
}

bool IsSame(const Evidence& a, const Evidence& b) {
  if (a.line > 0) return a.source == b.source && a.line == b.line;
  return b.line == 0 && a.row == b.row && a.table == b.table &&
         a.process == b.process;
}

bool IsAmong(const Evidence& one, const std::vector<Evidence>& all) {
  return std::any_of(all.begin(), all.end(),
                     [&](const Evidence& other) { return IsSame(one, other); });
}

bool AreAmong(const std::vector<Evidence>& some,
              const std::vector<Evidence>& all) {
  return std::all_of(some.begin(), some.end(),
                     [&](const Evidence& one) { return IsAmong(one, all); });
}

bool IsSaidAmong(const Evidence& line, const std::vector<Evidence>& all) {
  const std::string words = WithoutNumbers(WithoutName(Trim(line.text)));
  return std::ranges::any_of(all, [&](const Evidence& one) {
    return WithoutNumbers(one.text).find(words) != std::string::npos;
  });
}

void AddEvidence(Finding* finding, Evidence evidence) {
  if (evidence.line > 0) {
    auto [span, is_new] = finding->lines.try_emplace(
        evidence.source, evidence.line, evidence.line);
    span->second.first = std::min(span->second.first, evidence.line);
    span->second.second = std::max(span->second.second, evidence.line);
  }
  if (evidence.time) {
    const int64_t time = *evidence.time - evidence.clock_offset;
    finding->first_time =
        std::min(finding->first_time.value_or(INT64_MAX), time);
    finding->last_time = std::max(finding->last_time.value_or(INT64_MIN), time);
    finding->time_error = std::max(finding->time_error,
                                   evidence.time_error + evidence.clock_error);
  }
  if (finding->evidence.size() < kMaxEvidence) {
    finding->evidence.push_back(std::move(evidence));
  }
}

std::string LimitWords(const LimitHit& limit) {
  constexpr std::array<std::string_view, 3> kParts = {"memory", "relations",
                                                      "stacks"};
  if (limit.rule == "*") return limit.what;
  const bool is_part =
      std::find(kParts.begin(), kParts.end(), limit.rule) != kParts.end();
  return (is_part ? "" : "rule ") + limit.rule + ": " + limit.what;
}

Unit WhereItBegan(const Diagnosis& diagnosis) {
  const Verdict& verdict = diagnosis.verdict;
  if (verdict.where) return *verdict.where;
  return verdict.finding ? diagnosis.findings[*verdict.finding].unit : Unit();
}

bool HitsALimit(const Diagnosis& diagnosis) {
  return std::any_of(diagnosis.limits.begin(), diagnosis.limits.end(),
                     [](const LimitHit& one) { return !one.is_wanted; });
}

void MergeFigures(Figures* into, const Figures& from) {
  for (const auto& [name, value] : from) {
    if (value.IsNull()) continue;
    if (into->Contains(name)) {
      MergeValue(&(*into)[name], value);
    } else {
      (*into)[name] = value;
    }
  }
}

}  // namespace inquest::findings
