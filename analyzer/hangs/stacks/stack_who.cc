// SPDX-License-Identifier: Apache-2.0
// Names of processes in sentences; see stack_facts.h.
#include <fmt/format.h>

#include <map>
#include <set>

#include "analyzer/hangs/common/who.h"
#include "analyzer/hangs/stacks/stack_facts.h"
#include "base/ranges.h"

namespace inquest::hangs {
namespace {

constexpr size_t kMaxNames = 8;

// Of a process without a rank.
std::string NameOf(const StackProcess& process) {
  const std::string& label = process.label;
  if (process.place_in_label != 0) {
    return fmt::format("process {} of {}", process.place_in_label, label);
  }
  const bool titled = process.title.size() <= 60 && !process.title.empty();
  const std::string& other = titled ? process.title : label;
  if (!process.pid) return other;
  if (other.empty()) return fmt::format("pid {}", *process.pid);
  return fmt::format("pid {} ({})", *process.pid, other);
}

std::string OneOf(const StackProcess& process) {
  if (process.rank && process.pid) {
    return fmt::format("rank {} (pid {})", *process.rank, *process.pid);
  }
  if (process.rank) return fmt::format("rank {}", *process.rank);
  const std::string name = NameOf(process);
  if (name.empty()) return "the process";
  const bool labelled = !process.pid && process.place_in_label == 0;
  return labelled ? "the process of " + name : name;
}

}  // namespace

std::string WhoOf(const StackDumps& dumps, const std::vector<size_t>& members) {
  if (members.size() == 1) return OneOf(dumps.processes[members.front()]);
  std::set<int64_t> ranks, pids;
  std::map<std::string, std::set<int64_t>> places;  // in lists, by their label
  std::set<std::string> labels;
  std::vector<std::string> names;
  for (const size_t i : members) {
    const StackProcess& process = dumps.processes[i];
    if (process.rank) {
      ranks.insert(*process.rank);
      continue;
    }
    if (process.place_in_label != 0) {
      places[process.label].insert(process.place_in_label);
      continue;
    }
    if (process.pid) pids.insert(*process.pid);
    labels.insert(process.label);
    names.push_back(NameOf(process));
  }
  for (const auto& [label, numbers] : places) {
    names.push_back(fmt::format("{} {} of {}",
                                numbers.size() == 1 ? "process" : "processes",
                                FormatRanges(numbers, kMaxRanges), label));
  }
  std::string text;
  if (!ranks.empty()) text = RanksInWords(ranks);
  if (names.empty()) return text;
  if (!text.empty()) text += " and ";
  if (pids.size() == names.size() && labels.size() == 1) {
    text += "pids " + FormatRanges(pids, kMaxRanges);
    return labels.begin()->empty() ? text : text + " (" + *labels.begin() + ")";
  }
  return text + Listed(names, kMaxNames);
}

}  // namespace inquest::hangs
