// SPDX-License-Identifier: Apache-2.0
#include "analyzer/memory/refusals/earlier_range.h"

#include <algorithm>
#include <map>

#include "base/capped.h"
#include "base/text.h"
#include "trace/records/step_names.h"

namespace inquest::memory {
namespace {

constexpr size_t kMaxRangesOfRuns = 9;  // with the one that was refused
constexpr int64_t kMuchOfHeld = 10;  // one byte in so many of all that was held

std::string NameOfSeries(const std::string& name) {
  std::string bare;
  for (const char c : name) {
    if (!IsDigit(c)) bare += c;
    if (IsDigit(c) && (bare.empty() || bare.back() != '#')) bare += '#';
  }
  return bare;
}

bool IsRun(const RunRange& range) {
  const trace::RangeKind kind = trace::KindOfRange(range.name);
  return kind == trace::RangeKind::kOther && !range.name.empty();
}

// One after the other, and the last one has the refused request in it.
bool AreRunsUpTo(int64_t time, const std::vector<const RunRange*>& series) {
  if (series.size() < 2 || series.size() > kMaxRangesOfRuns) return false;
  for (size_t i = 1; i < series.size(); ++i) {
    const auto& end = series[i - 1]->end;
    if (!end || *end > series[i]->begin) return false;
  }
  const RunRange& last = *series.back();
  return last.begin <= time && last.end.value_or(INT64_MAX) >= time;
}

EarlierRun HeldFrom(const HeldAtRefusal& held, const RunRange& range) {
  EarlierRun run;
  run.begin = INT64_MAX;
  for (const HeldBlock& block : held.blocks) {
    if (block.time < range.begin || block.time > *range.end) continue;
    ++run.blocks;
    run.bytes = AddCapped(run.bytes, block.bytes);
    run.begin = std::min(run.begin, block.time);
    run.end = std::max(run.end, block.time);
    if (block.bytes > run.earlier.bytes) run.earlier = block;
  }
  return run;
}

std::optional<EarlierRange> MostHeld(
    const HeldAtRefusal& held, const std::vector<const RunRange*>& series) {
  std::optional<EarlierRange> most;
  for (size_t i = 0; i + 1 < series.size(); ++i) {
    EarlierRun run = HeldFrom(held, *series[i]);
    if (run.bytes == 0 || (most && run.bytes <= most->run.bytes)) continue;
    run.later = held.refused;
    run.later_begin = series.back()->begin;
    most = {run, series[i]->name, series.back()->name};
  }
  return most;
}

}  // namespace

std::optional<EarlierRange> FindEarlierRange(
    const HeldAtRefusal& held, const std::vector<RunRange>& ranges) {
  std::map<std::string, std::vector<const RunRange*>> all;
  for (const RunRange& range : ranges) {
    if (!IsRun(range) || range.begin > held.refused.time) continue;
    auto& series = all[NameOfSeries(range.name)];
    if (series.size() <= kMaxRangesOfRuns) series.push_back(&range);
  }
  std::optional<EarlierRange> most;
  for (const auto& [unused, series] : all) {
    if (!AreRunsUpTo(held.refused.time, series)) continue;
    auto found = MostHeld(held, series);
    if (found && (!most || found->run.bytes > most->run.bytes)) most = found;
  }
  // A workspace that the first run made and all use is not an earlier run.
  int64_t all_bytes = 0;
  for (const HeldBlock& block : held.blocks) {
    all_bytes = AddCapped(all_bytes, block.bytes);
  }
  if (most && most->run.bytes < all_bytes / kMuchOfHeld) return {};
  return most;
}

}  // namespace inquest::memory
