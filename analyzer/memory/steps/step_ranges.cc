// SPDX-License-Identifier: Apache-2.0
#include "analyzer/memory/steps/step_ranges.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "trace/records/step_names.h"

namespace inquest::memory {
namespace {

using trace::RangeKind;

struct Series {
  RangeKind kind = RangeKind::kOther;
  std::vector<size_t> ranges;
  int64_t first = 0;
  int64_t last = 0;    // the latest end
  double covered = 0;  // ns
};

// As a double, so that a damaged trace cannot overflow it.
double Between(int64_t begin, int64_t end) {
  return static_cast<double>(end) - static_cast<double>(begin);
}

// "step 17" and "step 18" are "step #".
std::string WithoutNumbers(std::string_view name) {
  std::string bare;
  for (const char c : trace::BareRangeName(name)) {
    const bool digit = IsDigit(c);
    if (!digit) bare += c;
    if (digit && (bare.empty() || bare.back() != '#')) bare += '#';
  }
  return bare;
}

std::vector<Series> SeriesOf(const std::vector<NamedRange>& ranges) {
  std::map<std::pair<int64_t, std::string>, Series> found;
  for (size_t i = 0; i < ranges.size(); ++i) {
    const NamedRange& range = ranges[i];
    Series& series = found[{range.thread, WithoutNumbers(range.name)}];
    if (series.ranges.empty()) {
      series.kind = trace::KindOfRange(range.name);
      series.first = series.last = range.begin;
    }
    series.ranges.push_back(i);
    const int64_t end = range.end.value_or(range.begin);
    // A range within the one before adds nothing.
    series.covered +=
        std::max(0.0, Between(std::max(range.begin, series.last), end));
    series.last = std::max(series.last, end);
  }
  std::vector<Series> all;
  for (auto& [unused, series] : found) {
    // A mark covers the time up to the next one.
    if (series.covered == 0)
      series.covered = Between(series.first, series.last);
    if (series.kind != RangeKind::kOperation) all.push_back(std::move(series));
  }
  return all;
}

bool CanBeSteps(const Series& series) {
  if (series.kind != RangeKind::kOther) return true;
  return std::ssize(series.ranges) >= kMinOthers &&
         series.covered >= Between(series.first, series.last) / 3;
}

// Steps rank before epochs, epochs before others, repeated ranges before single
// ones; then the series that covers the most time wins.
auto Merit(const Series& series) {
  const int by_name = series.kind == RangeKind::kStep    ? 2
                      : series.kind == RangeKind::kEpoch ? 1
                                                         : 0;
  return std::tuple(by_name, series.ranges.size() > 1, series.covered,
                    Between(series.first, 0));
}

}  // namespace

StepChoice ChooseSteps(const std::vector<NamedRange>& ranges) {
  std::vector<Series> all = SeriesOf(ranges);
  std::erase_if(all, [](const Series& one) { return !CanBeSteps(one); });
  const auto best = std::ranges::max_element(
      all,
      [](const Series& a, const Series& b) { return Merit(a) < Merit(b); });
  if (best == all.end()) return {};
  return {std::move(best->ranges), best->kind == RangeKind::kStep};
}

}  // namespace inquest::memory
