// SPDX-License-Identifier: Apache-2.0
#include "analyzer/facts/derive/collective_dumps.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/rows.h"

namespace inquest::facts {
namespace {

// A row of the fact collective_group.
struct GroupRow {
  template <class V>
  void Columns(V& v) {
    v("process", dump.process);
    v("dump", dump.number);
    v("group_name", name);
    v("ranks", ranks);
    v("description", description);
    v("last_enqueued", enqueued);
    v("last_completed", completed);
  }
  DumpId dump;
  std::string name;
  std::string ranks;  // JSON
  std::string description;
  std::optional<int64_t> enqueued, completed;
};

// "2.9" of the format; from 2.4 on all_to_all has its sizes.
bool HasAllToAllSizes(const std::string& version) {
  int major = 0;
  int minor = 0;
  const size_t point = version.find('.');
  std::from_chars(version.data(), version.data() + version.size(), major);
  if (point != version.npos) {
    std::from_chars(version.data() + point + 1, version.data() + version.size(),
                    minor);
  }
  return std::pair(major, minor) >= std::pair(2, 4);
}

}  // namespace

Status CollectiveDumps::Read() {
  RETURN_IF_ERROR(ReadDumps());
  if (rows_.empty()) return Status::Ok();
  RETURN_IF_ERROR(ReadGroups());
  RETURN_IF_ERROR(ReadEntries(&CollectiveDumps::Survey));
  FillMembers();
  RETURN_IF_ERROR(ReadEntries(&CollectiveDumps::FindPending));
  return ReadEntries(&CollectiveDumps::Keep);
}

Status CollectiveDumps::ReadDumps() {
  ASSIGN_OR_RETURN(
      Statement row,
      store_->db().Prepare(
          "SELECT d.process, d.dump, d.rank, d.path, d.entries, d.version, "
          "(SELECT max(e.time) FROM collective_entry AS e WHERE e.process = "
          "d.process AND e.dump = d.dump), d.fault IS NULL FROM "
          "collective_dump "
          "AS d WHERE d.rank IS NOT NULL ORDER BY 7, 1, 2"));
  DumpRow dump;
  int64_t rank = 0;
  std::string version;
  int64_t newest = 0;  // also if no entry has a time
  bool whole = true;
  while (row.Next(&dump.dump.process, &dump.dump.number, &rank, &dump.path,
                  &dump.entries, &version, &newest, &whole)) {
    newest_ = std::max(newest_, newest);
    RankDump& known = record_.dumps[rank];
    known.rank = rank;
    known.sizes_of_all_to_all = HasAllToAllSizes(version);
    known.whole = whole;
    if (rows_.contains(rank)) dump_of_.erase(rows_[rank].dump);
    dump_of_[dump.dump] = rank;
    rows_[rank] = dump;
  }
  return row.status();
}

// Groups with the same name are the same only if their ranks are.
size_t CollectiveDumps::GroupOf(const std::string& name,
                                const std::string& ranks,
                                const std::string& description) {
  const auto [found, is_new] =
      groups_.try_emplace(name + '|' + ranks, record_.groups.size());
  if (!is_new) return found->second;
  CollectiveGroup& group = record_.groups.emplace_back();
  group.name = name;
  group.description = description;
  const nlohmann::json list = ParseJson(ranks);
  group.members_told = list.is_array();
  if (!group.members_told) return found->second;
  for (const auto& rank : list) {
    if (rank.is_number_integer()) {
      group.members.push_back(rank.get<int64_t>());
    }
  }
  return found->second;
}

Status CollectiveDumps::ReadGroups() {
  ASSIGN_OR_RETURN(auto rows,
                   SelectRows<GroupRow>(&store_->db(),
                                        "FROM collective_group "
                                        "WHERE group_name IS NOT NULL"));
  for (GroupRow row; rows.Next(&row);) {
    const auto dump = dump_of_.find(row.dump);
    if (dump == dump_of_.end()) continue;
    const int64_t rank = dump->second;
    const size_t number = GroupOf(row.name, row.ranks, row.description);
    group_of_[{row.dump, row.name}] = number;
    CollectiveGroup& group = record_.groups[number];
    if (row.enqueued) group.last_enqueued[rank] = *row.enqueued;
    if (row.completed) group.last_completed[rank] = *row.completed;
  }
  return rows.statement().status();
}

Status CollectiveDumps::ReadEntries(Take take) {
  ASSIGN_OR_RETURN(auto entries, SelectRows<DumpEntry>(
                                     &store_->db(), "FROM collective_entry"));
  for (DumpEntry entry; entries.Next(&entry);) {
    const auto dump = dump_of_.find({entry.process, entry.dump});
    if (dump == dump_of_.end()) continue;
    const std::pair key(dump->first, entry.group_name);
    auto found = group_of_.find(key);
    if (found == group_of_.end()) {
      const size_t group = GroupOf(entry.group_name, "", entry.description);
      found = group_of_.emplace(key, group).first;
    }
    (this->*take)(entry, dump->second, found->second);
  }
  return entries.statement().status();
}

// A dump of only pending entries lacks the end of a completed batch; then the
// group's status decides.
bool CollectiveDumps::IsCompleted(const DumpEntry& entry, int64_t rank,
                                  size_t group) const {
  if (!entry.pending) return true;
  const auto seq = entry.is_p2p ? entry.p2p_seqnum : entry.seqnum;
  const auto& status = record_.groups[group].last_completed;
  const auto known = status.find(rank);
  if (!seq || known == status.end() || known->second < *seq) return false;
  return entry.is_p2p || !record_.groups_with_points.contains(group);
}

// Records how far each rank was, and who is in which group.
void CollectiveDumps::Survey(const DumpEntry& entry, int64_t rank,
                             size_t group) {
  RankDump& dump = record_.dumps[rank];
  if (entry.time) dump.oldest_time = std::min(dump.oldest_time, *entry.time);
  if (entry.is_p2p) record_.groups_with_points.insert(group);
  CollectiveGroup& of = record_.groups[group];
  if (!of.members_told) members_seen_[group].insert(rank);
  const bool world = entry.pg == 0 || of.description == "default_pg";
  if (!of.members_told && world) worlds_.insert(group);
  if (entry.is_p2p || !entry.seqnum) return;
  const auto [at, is_new] =
      record_.furthest.try_emplace(std::pair(group, rank), *entry.seqnum);
  at->second = std::max(at->second, *entry.seqnum);
}

void CollectiveDumps::FindPending(const DumpEntry& entry, int64_t rank,
                                  size_t group) {
  if (IsCompleted(entry, rank, group)) return;
  ++record_.dumps[rank].pending;
  if (entry.time) {
    auto& first = rows_[rank].first_pending;
    first = std::min(*entry.time, first.value_or(INT64_MAX));
  }
  if (!entry.is_p2p && entry.seqnum) pending_.emplace(group, *entry.seqnum);
}

void CollectiveDumps::Keep(const DumpEntry& entry, int64_t rank, size_t group) {
  if (entry.is_p2p) return KeepPoint(entry, rank, group);
  if (!entry.seqnum || !pending_.contains({group, *entry.seqnum})) return;
  CollectiveCall call;
  call.group = group;
  call.rank = rank;
  call.seq = *entry.seqnum;
  call.op = entry.op;
  call.type = entry.optype;
  call.input_sizes = entry.input_sizes;
  call.output_sizes = entry.output_sizes;
  call.input_dtypes = entry.input_dtypes;
  call.output_dtypes = entry.output_dtypes;
  call.completed = IsCompleted(entry, rank, group);
  call.timed_out = !call.completed && entry.retired;
  call.time = entry.time;
  call.timeout_ms = entry.timeout_ms;
  record_.calls.push_back(std::move(call));
}

// If no dump lists the members of a group, they are the ranks with entries of
// it; the first group has all ranks.
void CollectiveDumps::FillMembers() {
  for (const auto& [group, ranks] : members_seen_) {
    auto& members = record_.groups[group].members;
    members.assign(ranks.begin(), ranks.end());
    if (!worlds_.contains(group)) continue;
    members.clear();
    for (const auto& [rank, dump] : record_.dumps) members.push_back(rank);
  }
}

// "nccl:send 0->1", "nccl:recv 1<-0": ranks within the group.
void CollectiveDumps::KeepPoint(const DumpEntry& entry, int64_t rank,
                                size_t group) {
  const std::string& name = entry.profiling_name;
  const bool send = name.find(":send ") != name.npos;
  const size_t arrow = name.find(send ? "->" : "<-");
  if (arrow == name.npos) return;
  size_t peer = 0;
  const auto [end, error] =
      std::from_chars(name.data() + arrow + 2, name.data() + name.size(), peer);
  const auto& members = record_.groups[group].members;
  if (error != std::errc() || peer >= members.size()) return;
  PointToPoint point;
  point.group = group;
  point.rank = rank;
  point.peer = members[peer];
  point.seq = entry.p2p_seqnum.value_or(0);
  point.send = send;
  point.completed = IsCompleted(entry, rank, group);
  point.sizes = send ? entry.input_sizes : entry.output_sizes;
  point.time = entry.time;
  point.timeout_ms = entry.timeout_ms;
  record_.points.push_back(point);
}

}  // namespace inquest::facts
