// SPDX-License-Identifier: Apache-2.0
#include "analyzer/diagnosis/check_advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "analyzer/whatif/history/read_history.h"
#include "analyzer/whatif/whatif.h"
#include "base/units.h"

namespace inquest::diagnosis {
namespace {

using whatif::Change;

// The replays of so many events take well under a second on two cores.
constexpr int64_t kMaxEvents = 30'000;

// A word of a command, and the changes that try what it sets.
struct Setting {
  std::string_view word;
  std::string_view change;  // the beginning of its name
};
constexpr Setting kSettings[] = {
    {"expandable_segments:True", "expandable_segments:True"},
    {"max_split_size_mb", "max_split_size_mb"},
    {"garbage_collection_threshold", "garbage_collection_threshold"},
    {"backend:cudaMallocAsync", "backend:cudaMallocAsync"},
    {"torch.autocast", "mixed precision"},
};

const Setting* SettingOf(const rules::Fix& fix) {
  for (const Setting& one : kSettings) {
    if (fix.command.find(one.word) != std::string::npos) return &one;
  }
  return nullptr;
}

// Up to one more than can be replayed.
int64_t EventsOf(facts::Store* store, int process) {
  if (store->EventsLeftOut(process) > 0) return kMaxEvents + 1;
  const auto events = store->db().QueryInt(
      "SELECT count(*) FROM (SELECT 1 FROM " + store->TracePrefix(process) +
      "memory_event LIMIT " + std::to_string(kMaxEvents + 1) + ")");
  return events.ok() ? *events : 0;
}

std::vector<Change> TryFor(facts::Store* store, int process, int64_t device,
                           bool* withheld) {
  auto histories = whatif::ReadHistories(store, process);
  if (!histories.ok()) return {};
  for (whatif::History& history : *histories) {
    if (history.device != device || !history.died) continue;
    auto answer = whatif::TryChanges(&history, {});
    *withheld = answer.ok() && answer->withheld;
    if (answer.ok() && !*withheld) return std::move(answer->changes);
  }
  return {};
}

// The best of the changes that try a setting; nullptr: none was tried.
const Change* BestOf(const std::vector<Change>& changes,
                     std::string_view beginning) {
  const Change* best = nullptr;
  for (const Change& one : changes) {
    if (!one.name.starts_with(beginning) || !one.survives) continue;
    if (best == nullptr || (one.helps && !best->helps)) best = &one;
  }
  return best;
}

void Check(const std::vector<Change>& changes, std::vector<rules::Fix>* fixes) {
  std::vector<rules::Fix> saving, rest;
  for (rules::Fix& fix : *fixes) {
    const Setting* setting = SettingOf(fix);
    const Change* tried =
        setting == nullptr ? nullptr : BestOf(changes, setting->change);
    if (tried == nullptr) {
      rest.push_back(std::move(fix));
    } else if (tried->helps) {
      fix.text += fmt::format(
          "; replayed with it, this run is granted what it was refused, with "
          "{} left",
          FormatBytes(tried->margin.value_or(0)));
      saving.push_back(std::move(fix));
    }
  }
  saving.insert(saving.end(), std::make_move_iterator(rest.begin()),
                std::make_move_iterator(rest.end()));
  *fixes = std::move(saving);
}

}  // namespace

void CheckAdvice(facts::Store* store, findings::Diagnosis* diagnosis) {
  const auto& verdict = diagnosis->verdict;
  if (!verdict.finding || !verdict.cause.starts_with("memory/")) return;
  findings::Finding& finding = diagnosis->findings[*verdict.finding];
  const auto& unit = finding.unit;
  const bool sets = std::any_of(
      finding.fixes.begin(), finding.fixes.end(),
      [](const rules::Fix& fix) { return SettingOf(fix) != nullptr; });
  if (!sets || !unit.process || !unit.device || *unit.process < 1 ||
      *unit.process > store->traces()) {
    return;
  }
  const auto process = static_cast<int>(*unit.process);
  const int64_t events = EventsOf(store, process);
  if (events == 0) return;
  if (events > kMaxEvents) {
    finding.fixes.push_back(
        {"Let a replay say which setting would have been enough",
         "inquest whatif RUN",
         {},
         {},
         {},
         {},
         {}});
    return;
  }
  const std::vector<Change> changes =
      TryFor(store, process, *unit.device, &diagnosis->replay_withheld);
  if (!changes.empty()) Check(changes, &finding.fixes);
}

}  // namespace inquest::diagnosis
