#include "analyzer/facts/derive/collective_dumps.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "analyzer/facts/store/optional_column.h"
#include "base/json_text.h"

namespace inquest::facts {
namespace {

// "2.9" of the format; from 2.4 on all_to_all has its sizes.
bool TellsAllToAll(const std::string& version) {
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
          "d.process AND e.dump = d.dump) FROM collective_dump AS d WHERE "
          "d.rank IS NOT NULL ORDER BY 7, 1, 2"));
  while (row.Step()) {
    DumpRow dump;
    dump.dump = {row.Int(0), row.Int(1)};
    dump.path = row.Text(3);
    dump.entries = row.Int(4);
    newest_ = std::max(newest_, Column(row, 6).value_or(0));
    const int64_t rank = row.Int(2);
    RankDump& known = record_.dumps[rank];
    known.rank = rank;
    known.sizes_of_all_to_all = TellsAllToAll(std::string(row.Text(5)));
    if (rows_.contains(rank)) dump_of_.erase(rows_[rank].dump);
    dump_of_[dump.dump] = rank;
    rows_[rank] = std::move(dump);
  }
  return row.status();
}

// Groups of one name are the same only where their ranks are.
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
  ASSIGN_OR_RETURN(
      Statement row,
      store_->db().Prepare(
          "SELECT process, dump, group_name, coalesce(ranks, ''), "
          "coalesce(description, ''), last_enqueued, last_completed FROM "
          "collective_group WHERE group_name IS NOT NULL"));
  while (row.Step()) {
    const auto dump = dump_of_.find({row.Int(0), row.Int(1)});
    if (dump == dump_of_.end()) continue;
    const std::string name(row.Text(2));
    const size_t group =
        GroupOf(name, std::string(row.Text(3)), std::string(row.Text(4)));
    group_of_[{dump->first, name}] = group;
    if (const auto last = Column(row, 5)) {
      record_.groups[group].last_enqueued[dump->second] = *last;
    }
    if (const auto last = Column(row, 6)) {
      record_.groups[group].last_completed[dump->second] = *last;
    }
  }
  return row.status();
}

Status CollectiveDumps::ReadEntries(Take take) {
  ASSIGN_OR_RETURN(
      Statement row,
      store_->db().Prepare(
          "SELECT process, dump, coalesce(group_name, ''), is_p2p, seqnum, "
          "p2p_seqnum, pending, time, retired, optype, profiling_name, op, "
          "input_sizes, output_sizes, input_dtypes, output_dtypes, "
          "timeout_ms, coalesce(description, ''), pg FROM "
          "collective_entry"));
  while (row.Step()) {
    const auto dump = dump_of_.find({row.Int(0), row.Int(1)});
    if (dump == dump_of_.end()) continue;
    const std::string name(row.Text(2));
    auto found = group_of_.find({dump->first, name});
    if (found == group_of_.end()) {
      const size_t group = GroupOf(name, "", std::string(row.Text(17)));
      found = group_of_.emplace(std::pair(dump->first, name), group).first;
    }
    (this->*take)(row, dump->second, found->second);
  }
  return row.status();
}

// A dump of what is pending only lacks the end of a batch that completed;
// then the group's status tells.
bool CollectiveDumps::IsCompleted(const Statement& row, int64_t rank,
                                  size_t group) const {
  if (row.Int(6) == 0) return true;
  const auto seq = Column(row, row.Int(3) != 0 ? 5 : 4);
  const auto& status = record_.groups[group].last_completed;
  const auto known = status.find(rank);
  if (!seq || known == status.end() || known->second < *seq) return false;
  return row.Int(3) != 0 || !record_.groups_with_points.contains(group);
}

// How far each rank was, and who is in which group.
void CollectiveDumps::Survey(const Statement& row, int64_t rank, size_t group) {
  RankDump& dump = record_.dumps[rank];
  const auto time = Column(row, 7);
  if (time) dump.oldest_time = std::min(dump.oldest_time, *time);
  if (row.Int(3) != 0) record_.groups_with_points.insert(group);
  CollectiveGroup& of = record_.groups[group];
  if (!of.members_told) members_seen_[group].insert(rank);
  const bool world = Column(row, 18) == 0 || of.description == "default_pg";
  if (!of.members_told && world) worlds_.insert(group);
  if (row.Int(3) != 0) return;
  const auto seq = Column(row, 4);
  if (!seq) return;
  const auto [at, is_new] =
      record_.furthest.try_emplace(std::pair(group, rank), *seq);
  at->second = std::max(at->second, *seq);
}

void CollectiveDumps::FindPending(const Statement& row, int64_t rank,
                                  size_t group) {
  if (IsCompleted(row, rank, group)) return;
  ++record_.dumps[rank].pending;
  if (const auto time = Column(row, 7)) {
    auto& first = rows_[rank].first_pending;
    first = std::min(*time, first.value_or(INT64_MAX));
  }
  const auto seq = Column(row, 4);
  if (row.Int(3) == 0 && seq) pending_.emplace(group, *seq);
}

void CollectiveDumps::Keep(const Statement& row, int64_t rank, size_t group) {
  if (row.Int(3) != 0) return KeepPoint(row, rank, group);
  const auto seq = Column(row, 4);
  if (!seq || !pending_.contains({group, *seq})) return;
  CollectiveCall call;
  call.group = group;
  call.rank = rank;
  call.seq = *seq;
  call.op = Column(row, 11).value_or(0);
  call.type = row.Text(9);
  call.input_sizes = row.Text(12);
  call.output_sizes = row.Text(13);
  call.input_dtypes = row.Text(14);
  call.output_dtypes = row.Text(15);
  call.completed = IsCompleted(row, rank, group);
  call.timed_out = !call.completed && Column(row, 8) == 1;
  call.time = Column(row, 7);
  call.timeout_ms = Column(row, 16);
  record_.calls.push_back(std::move(call));
}

// Where nobody tells who is in a group, they are who have entries of it; in
// the first group is everybody.
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
void CollectiveDumps::KeepPoint(const Statement& row, int64_t rank,
                                size_t group) {
  const std::string name(row.Text(10));
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
  point.seq = Column(row, 5).value_or(0);
  point.send = send;
  point.completed = IsCompleted(row, rank, group);
  point.sizes = row.Text(send ? 12 : 13);
  point.time = Column(row, 7);
  record_.points.push_back(point);
}

}  // namespace inquest::facts
