// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/flight_recorder/flight_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "analyzer/importers/flight_recorder/flight_fields.h"
#include "base/json_text.h"

namespace inquest::importers {
namespace {

using nlohmann::json;

constexpr size_t kMaxMembers = 1 << 20;

std::optional<std::string> TextOrNull(const std::string& text) {
  if (text.empty()) return {};
  return text;
}

bool IsCoalesced(const std::string& profiling_name) {
  return profiling_name.ends_with(":coalesced");
}

std::string ListText(const json& value) {
  return value.is_array() ? JsonText(value) : "[]";
}

// (name, description); in older versions a number or only a name.
std::pair<std::string, std::string> GroupOf(const json& entry) {
  const json& group = At(entry, "process_group");
  if (group.is_array() && !group.empty()) {
    return {TextOf(group[0]), group.size() > 1 ? TextOf(group[1]) : ""};
  }
  if (!group.is_null()) return {TextOf(group), ""};
  return {TextOf(At(entry, "pg_id")), ""};
}

}  // namespace

bool IsFlightEntry(const json& dict) {
  return dict.contains("profiling_name") && dict.contains("state");
}

void FlightRecords::BeginDump(const std::string& path, int64_t mtime_ns) {
  path_ = path;
  mtime_ns_ = std::max(mtime_ns_, mtime_ns);
  ++dump_;
  entries_ = 0;
  groups_.clear();
  group_names_.clear();
  runs_.clear();
}

void FlightRecords::Entry(const json& entry, uint32_t stack) {
  ++entries_;
  const auto [name, description] = GroupOf(entry);
  const auto pg = IntOf(At(entry, "pg_id"));
  if (pg && !name.empty()) group_names_.emplace(*pg, name);
  const auto created = TimeOf(entry, "time_created_ns", "time_created_us");
  const auto completed = TimeOf(entry, "time_discovered_completed_ns",
                                "time_discovered_completed_us");
  if (created) {
    first_ns_ = std::min(first_ns_, *created);
    last_ns_ = std::max({last_ns_, *created, completed.value_or(0)});
  }
  auto seq = IntOf(At(entry, "collective_seq_id"));
  if (!seq) seq = IntOf(At(entry, "seq_id"));
  const std::string profiling_name = TextOf(At(entry, "profiling_name"));
  const bool p2p =
      BoolOf(At(entry, "is_p2p"))
          .value_or(profiling_name.find(":send ") != profiling_name.npos ||
                    profiling_name.find(":recv ") != profiling_name.npos);
  std::optional<double> duration_ms;
  if (const json& duration = At(entry, "duration_ms"); duration.is_number()) {
    duration_ms = duration.get<double>();
  }
  const auto started =
      TimeOf(entry, "time_discovered_started_ns", "time_discovered_started_us");
  file_->AddRow(
      "collective_entry", ++id_, dump_, IntOf(At(entry, "record_id")), pg,
      TextOrNull(name), TextOrNull(description), seq,
      IntOf(At(entry, "p2p_seq_id")), IntOf(At(entry, "op_id")), profiling_name,
      TextOf(At(entry, "state")), p2p, BoolOf(At(entry, "retired")), created,
      started, completed, duration_ms, IntOf(At(entry, "timeout_ms")),
      ListText(At(entry, "input_sizes")), ListText(At(entry, "output_sizes")),
      ListText(At(entry, "input_dtypes")), ListText(At(entry, "output_dtypes")),
      TextOrNull(TextOf(At(entry, "thread_name"))),
      TextOrNull(TextOf(At(entry, "thread_id"))), stack, nullptr);
  const auto number = p2p ? IntOf(At(entry, "p2p_seq_id")) : seq;
  if (number) {
    JoinBatch(name, IsCoalesced(profiling_name), p2p, *number);
  }
}

// The start and end of coalesced operations are not recorded. Those of the last
// entry with the same sequence number, which represents the batch, are.
void FlightRecords::JoinBatch(const std::string& group, bool coalesced,
                              bool p2p, int64_t seq) {
  Run& run = runs_[{group, p2p}];
  if (run.seq != seq) run = {seq, {}};
  if (!coalesced) {
    run.entries.push_back(id_);
    return;
  }
  for (const int64_t entry : run.entries) {
    file_->Execute("UPDATE collective_entry SET batch = ? WHERE id = ?", id_,
                   entry);
  }
  run.entries.clear();
}

// Ranks are a string that holds a list, which is also valid JSON.
void FlightRecords::ReadGroups(const json& config) {
  if (!config.is_object()) return;
  for (const auto& [key, value] : config.items()) {
    Group& group = groups_[key];
    group.description = TextOf(At(value, "desc"));
    json ranks = At(value, "ranks");
    if (ranks.is_string()) {
      ranks = ParseJson(ranks.get_ref<const std::string&>());
    }
    if (!ranks.is_array() || ranks.size() > kMaxMembers) continue;
    group.ranks = JsonText(ranks);
    for (const json& rank : ranks) {
      if (const auto number = IntOf(rank)) group.members.insert(*number);
    }
  }
}

// A rank is a member of all groups in its dump; usually it is the only one that
// is in all of them, and often one group has no other member.
std::optional<int64_t> FlightRecords::Rank() const {
  const std::optional<int64_t> named = RankInName(path_);
  std::set<int64_t> candidates;
  bool first = true;
  for (const auto& [name, group] : groups_) {
    if (group.members.empty()) continue;
    if (first) candidates = group.members;
    std::erase_if(candidates,
                  [&](int64_t rank) { return !group.members.contains(rank); });
    first = false;
  }
  if (named && (first || candidates.contains(*named))) return named;
  if (candidates.size() == 1) return *candidates.begin();
  return named;
}

// The recorder numbers groups and names them in the order of their creation
// (except for names that are hashes). So if no entry relates numbers and names,
// their order does, unless that contradicts an entry.
std::map<int64_t, std::string> FlightRecords::NamesInOrder(
    const json& status) const {
  std::map<int64_t, std::string> names;  // by number
  std::vector<int64_t> made;
  for (const auto& [name, group] : groups_) {
    const auto number = IntOf(json(name));
    if (!number) return {};
    names[*number] = name;
  }
  for (const auto& [key, value] : status.items()) {
    const auto pg = IntOf(json(key));
    if (!pg) return {};
    made.push_back(*pg);
  }
  if (names.size() != made.size()) return {};
  std::ranges::sort(made);
  std::map<int64_t, std::string> in_order;
  size_t next = 0;
  for (const auto& [number, name] : names) in_order[made[next++]] = name;
  const auto agrees = [&](const auto& one) {
    const auto found = in_order.find(one.first);
    return found == in_order.end() || found->second == one.second;
  };
  return std::ranges::all_of(group_names_, agrees)
             ? in_order
             : std::map<int64_t, std::string>();
}

void FlightRecords::WriteGroup(std::optional<int64_t> pg,
                               const std::string& name, const json& status) {
  std::optional<std::string> description, ranks;
  if (const auto group = groups_.find(name); group != groups_.end()) {
    description = TextOrNull(group->second.description);
    ranks = group->second.ranks;
  }
  file_->AddRow("collective_group", dump_, pg, TextOrNull(name), description,
                ranks, IntOf(At(status, "last_enqueued_collective")),
                IntOf(At(status, "last_started_collective")),
                IntOf(At(status, "last_completed_collective")));
}

void FlightRecords::WriteGroups(const json& status) {
  const json all = status.is_object() ? status : json::object();
  const auto in_order = NamesInOrder(all);
  std::map<std::string, int64_t> numbers;
  for (const auto& [pg, name] : in_order) numbers[name] = pg;
  for (const auto& [pg, name] : group_names_) numbers[name] = pg;
  for (const auto& [name, group] : groups_) {
    const auto pg = numbers.find(name);
    if (pg == numbers.end()) {
      WriteGroup({}, name, {});
    } else {
      WriteGroup(pg->second, name, At(all, std::to_string(pg->second).c_str()));
    }
  }
  for (const auto& [key, value] : all.items()) {
    const auto pg = IntOf(json(key));
    const auto known = [&](const auto& one) {
      return pg && one.second == *pg && groups_.contains(one.first);
    };
    if (std::ranges::any_of(numbers, known)) continue;
    const auto named = pg ? group_names_.find(*pg) : group_names_.end();
    WriteGroup(pg, named == group_names_.end() ? "" : named->second, value);
  }
}

void FlightRecords::EndDump(const json& root, const std::string& fault) {
  ReadGroups(At(root, "pg_config"));
  WriteGroups(At(root, "pg_status"));
  std::string library = TextOf(At(root, "comm_lib_version"));
  if (library.empty()) library = TextOf(At(root, "nccl_version"));
  const auto rank = Rank();
  ++dumps_;
  if (!rank) ++nameless_;
  file_->AddRow("collective_dump", dump_, path_, rank,
                TextOf(At(root, "version")), TextOrNull(library), entries_,
                TextOrNull(fault));
  if (!fault.empty()) {
    file_->Coverage("flight-recorder", 0, INT64_MAX, "failed",
                    path_ + ": " + fault);
  }
}

Status FlightRecords::Finish() {
  const bool timed = first_ns_ != INT64_MAX;
  const int64_t first = timed ? first_ns_ : mtime_ns_;
  const int64_t last = timed ? last_ns_ : mtime_ns_;
  stacks_.Finish();
  file_->Coverage(
      "flight-recorder", first, last, "on",
      fmt::format("{} entries of {} rank{}; each rank keeps only its "
                  "last entries",
                  id_, dumps_, dumps_ == 1 ? "" : "s"));
  file_->Loss("ranks", nameless_,
              "dumps without a rank in their names or groups");
  return file_->Finish(first, last, "flight-recorder");
}

}  // namespace inquest::importers
