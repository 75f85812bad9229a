// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/rank/root_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "analyzer/findings/rank/long_past.h"
#include "analyzer/rules/model/rule_words.h"
#include "analyzer/rules/model/taxonomy.h"
#include "base/units.h"

namespace inquest::findings {
namespace {

bool IsEnding(const Finding& finding) {
  return finding.role == rules::Role::kSymptom;
}

// The first log that both have lines in; 0: none. What all ranks suffered has
// lines in thousands of logs, so those of the other are looked up.
int64_t CommonLog(const Finding& a, const Finding& b) {
  if (a.lines.size() > b.lines.size()) return CommonLog(b, a);
  for (const auto& [source, span] : a.lines) {
    if (b.lines.contains(source)) return source;
  }
  return 0;
}

bool BeganEarlier(const Finding& a, const Finding& b) {
  if (const int64_t log = CommonLog(a, b); log != 0) {
    return a.lines.at(log).first < b.lines.at(log).first;
  }
  if (!a.first_time || !b.first_time) return false;
  return *b.first_time - *a.first_time > a.time_error + b.time_error;
}

// How much its words say: those that name a cause, an ending whose words say
// of what, a bare code, a bare ending, the code of an ending.
int WordsOf(const Finding& finding) {
  const bool bare =
      finding.cause.starts_with("process/") || finding.cause == "unknown";
  if (!IsEnding(finding)) return finding.by_code ? 2 : 0;
  if (finding.by_code) return 4;
  return bare ? 3 : 1;
}

auto Group(const Finding& finding) {
  return std::tuple(WordsOf(finding), rules::LayerOf(finding.cause));
}

// The criteria that remain if no beginning decides. The place distinguishes
// findings of one rule.
auto TieBreakers(const Finding& f) {
  const auto place = f.lines.empty() ? std::tuple<int64_t, int64_t>{0, 0}
                                     : std::tuple<int64_t, int64_t>{
                                           f.lines.begin()->first,
                                           f.lines.begin()->second.first};
  return std::tuple(-static_cast<int>(f.confidence), -f.count, f.rule,
                    f.unit.host, f.unit.rank.value_or(-1),
                    f.unit.device.value_or(-1), place,
                    f.first_time.value_or(0));
}

std::string EarlierBy(const Finding& a, const Finding& b) {
  const int64_t log = CommonLog(a, b);
  if (log == 0) {
    return fmt::format("it began earlier ({} before, by the clocks)",
                       FormatDuration(*b.first_time - *a.first_time));
  }
  const auto in_log = [log](const Evidence& one) { return one.source == log; };
  const auto line = std::find_if(a.evidence.begin(), a.evidence.end(), in_log);
  return fmt::format("it began earlier ({}, line {} against line {})",
                     line == a.evidence.end() ? "the log" : line->path,
                     a.lines.at(log).first, b.lines.at(log).first);
}

}  // namespace

Precedence WhyFirst(const Finding& first, const Finding& second) {
  if (IsLongPast(second, first)) {
    return {Ground::kLongPast,
            fmt::format("the other lies {} before it, so the run lived on",
                        FormatDuration(*first.first_time - *second.last_time))};
  }
  if (WordsOf(first) != WordsOf(second)) {
    return {Ground::kNamesCause,
            second.by_code
                ? "its words name a cause, the other is only an error code"
                : "it names a cause, the other only how the run ended"};
  }
  const int a = rules::LayerOf(first.cause);
  const int b = rules::LayerOf(second.cause);
  if (a != b) {
    return {Ground::kLayer,
            fmt::format("it is in a lower layer ({}, the other {})",
                        rules::LayerName(a), rules::LayerName(b))};
  }
  if (BeganEarlier(first, second)) {
    return {Ground::kEarlier, EarlierBy(first, second)};
  }
  if (first.confidence != second.confidence) {
    return {Ground::kConfidence,
            fmt::format("it is {}, the other {}", rules::Word(first.confidence),
                        rules::Word(second.confidence))};
  }
  if (first.count != second.count) {
    return {Ground::kCount, fmt::format("it was seen {} times, the other {}",
                                        first.count, second.count)};
  }
  return {Ground::kName, "the evidence does not order the two"};
}

namespace {

// Where a finding begins, taken out of it: most have lines in one log, and each
// pair is compared.
struct Beginning {
  const Finding* finding = nullptr;
  bool in_one_log = false;
  int64_t log = 0;  // 0: in none
  int64_t line = 0;
};

Beginning BeginningOf(const Finding& finding) {
  Beginning begin{&finding, finding.lines.size() <= 1, 0, 0};
  if (finding.lines.size() == 1) {
    begin.log = finding.lines.begin()->first;
    begin.line = finding.lines.begin()->second.first;
  }
  return begin;
}

bool BeganEarlier(const Beginning& a, const Beginning& b) {
  if (!a.in_one_log || !b.in_one_log) {
    return BeganEarlier(*a.finding, *b.finding);
  }
  if (a.log != 0 && a.log == b.log) return a.line < b.line;
  if (!a.finding->first_time || !b.finding->first_time) return false;
  return *b.finding->first_time - *a.finding->first_time >
         a.finding->time_error + b.finding->time_error;
}

// Orders [from, to) of `indices`, which are of one group and already sorted by
// TieBreakers(): each place goes to the first finding that no other unplaced
// one preceded.
void OrderByBeginning(const std::vector<Finding>& findings, size_t from,
                      size_t to, std::vector<size_t>* indices) {
  const std::vector<size_t> group(indices->begin() + static_cast<long>(from),
                                  indices->begin() + static_cast<long>(to));
  std::vector<Beginning> begins;
  for (const size_t i : group) begins.push_back(BeginningOf(findings[i]));
  std::vector<size_t> open(group.size());  // indices into the group
  std::iota(open.begin(), open.end(), size_t{0});
  std::vector<size_t> before(group.size());  // how many began before it
  for (const size_t a : open) {
    for (const size_t b : open) before[b] += BeganEarlier(begins[a], begins[b]);
  }
  for (size_t at = from; at < to; ++at) {
    const auto first = std::find_if(open.begin(), open.end(),
                                    [&](size_t i) { return before[i] == 0; });
    // A ring of beginnings (two logs and a clock that contradict each other)
    // has no first: then TieBreakers() decides.
    const auto taken = first == open.end() ? open.begin() : first;
    const size_t chosen = *taken;
    open.erase(taken);
    for (const size_t i : open) {
      before[i] -= BeganEarlier(begins[chosen], begins[i]);
    }
    (*indices)[at] = group[chosen];
  }
}

}  // namespace

std::vector<size_t> InOrder(const std::vector<Finding>& findings,
                            std::vector<size_t> indices) {
  using Key = std::pair<decltype(Group(findings[0])),
                        decltype(TieBreakers(findings[0]))>;
  std::vector<std::pair<Key, size_t>> keyed;
  for (const size_t i : indices) {
    keyed.push_back({{Group(findings[i]), TieBreakers(findings[i])}, i});
  }
  std::stable_sort(
      keyed.begin(), keyed.end(),
      [](const auto& a, const auto& b) { return a.first < b.first; });
  const auto group = [&](size_t at) { return keyed[at].first.first; };
  for (size_t at = 0; at < keyed.size(); ++at) indices[at] = keyed[at].second;
  for (size_t from = 0, to = 0; from < indices.size(); from = to) {
    while (to < indices.size() && group(to) == group(from)) ++to;
    OrderByBeginning(findings, from, to, &indices);
  }
  return indices;
}

std::vector<size_t> RootsInOrder(const std::vector<Finding>& findings,
                                 std::vector<size_t> roots) {
  roots = InOrder(findings, std::move(roots));
  const std::vector<size_t> all = roots;
  std::ranges::stable_partition(roots, [&](size_t i) {
    return std::ranges::none_of(all, [&](size_t other) {
      return IsLongPast(findings[i], findings[other]);
    });
  });
  return roots;
}

}  // namespace inquest::findings
