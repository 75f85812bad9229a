// SPDX-License-Identifier: Apache-2.0
// Names of processes in sentences; see stack_facts.h.
#include <fmt/format.h>

#include <set>

#include "analyzer/hangs/common/who.h"
#include "analyzer/hangs/stacks/stack_facts.h"

namespace inquest::hangs {
namespace {

constexpr size_t kMostNames = 8;

// Of a process without a rank.
std::string NameOf(const StackProcess& process) {
  const std::string& label = process.label;
  if (process.place_in_label != 0) {
    return fmt::format("process {} of {}", process.place_in_label, label);
  }
  const bool titled = process.title.size() <= 60 && !process.title.empty();
  const std::string& other = titled ? process.title : label;
  if (!process.pid) return other.empty() ? "the process" : other;
  if (other.empty()) return fmt::format("pid {}", *process.pid);
  return fmt::format("pid {} ({})", *process.pid, other);
}

}  // namespace

std::string WhoOf(const StackDumps& dumps, const std::vector<size_t>& members) {
  std::set<int64_t> ranks, pids;
  std::set<std::string> labels;
  std::vector<std::string> names;
  for (const size_t i : members) {
    const StackProcess& process = dumps.processes[i];
    if (process.rank) {
      ranks.insert(*process.rank);
      continue;
    }
    if (process.pid) pids.insert(*process.pid);
    labels.insert(process.label);
    names.push_back(NameOf(process));
  }
  if (members.size() == 1) {
    const StackProcess& process = dumps.processes[members.front()];
    if (!process.rank) return names.front();
    const std::string rank = RanksInWords(ranks);
    return process.pid ? fmt::format("{} (pid {})", rank, *process.pid) : rank;
  }
  std::string text;
  if (!ranks.empty()) text = RanksInWords(ranks);
  if (names.empty()) return text;
  if (!text.empty()) text += " and ";
  if (pids.size() == names.size() && labels.size() == 1) {
    text += "pids " + Ranges(pids);
    return labels.begin()->empty() ? text : text + " (" + *labels.begin() + ")";
  }
  return text + Listed(names, kMostNames);
}

}  // namespace inquest::hangs
