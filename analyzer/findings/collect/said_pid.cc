// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/collect/said_pid.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "base/text.h"

namespace inquest::findings {
namespace {

constexpr std::string_view kBetween = " :=#([";
constexpr size_t kMaxDigits = 8;  // Linux has at most 4194304 processes

// The number at the beginning, if it ends where a number of a process does:
// "4711.2" and "4711x" are none.
std::optional<int64_t> NumberAt(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  const auto digits = static_cast<size_t>(end - text.data());
  if (error != std::errc() || digits > kMaxDigits) return {};
  const std::string_view rest = text.substr(digits);
  const bool goes_on =
      !rest.empty() &&
      (IsWordCharacter(rest[0]) ||
       (rest[0] == '.' && rest.size() > 1 && IsDigit(rest[1])));
  return goes_on ? std::nullopt : std::optional(number);
}

std::set<int64_t> PidsIn(std::string_view line) {
  std::set<int64_t> pids;
  for (size_t at = 0; at + 3 < line.size(); ++at) {
    const bool begins = at == 0 || !IsWordCharacter(line[at - 1]);
    if (!begins || !EqualsIgnoringCase(line.substr(at, 3), "pid")) continue;
    const size_t number = line.find_first_not_of(kBetween, at + 3);
    if (number == line.npos || number == at + 3 || number > at + 6) continue;
    const auto pid = NumberAt(line.substr(number));
    if (pid && *pid > 0) pids.insert(*pid);
  }
  return pids;
}

bool HasNumber(const Figures& figures, int64_t number) {
  return std::ranges::any_of(figures, [&](const auto& one) {
    const Figure::List all = one.second.AsList();
    return std::ranges::find(all, Figure(number)) != all.end();
  });
}

}  // namespace

std::optional<int64_t> PidIn(std::string_view line) {
  const std::set<int64_t> pids = PidsIn(line);
  return pids.size() == 1 ? std::optional(*pids.begin()) : std::nullopt;
}

void AddSaidPid(Finding* finding) {
  if (finding->figures.Contains("pid")) return;
  if (const Figure* victim = finding->figures.Find("victim_pid")) {
    finding->figures["pid"] = Figure(*victim);
    return;
  }
  std::set<int64_t> pids;
  for (const Evidence& line : finding->evidence) pids.merge(PidsIn(line.text));
  if (pids.size() != 1 || HasNumber(finding->figures, *pids.begin())) return;
  finding->figures["pid"] = *pids.begin();
}

}  // namespace inquest::findings
