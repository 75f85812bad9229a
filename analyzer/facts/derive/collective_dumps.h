// SPDX-License-Identifier: Apache-2.0
// Reads the dumps of flight recorders from the facts into the record that
// collective_waits.h works on. For stalls.cc; one thread. Its memory grows with
// the collectives that are pending on any rank.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

#include "analyzer/facts/derive/collective_waits.h"
#include "analyzer/facts/store/store.h"

namespace inquest::facts {

struct DumpId {  // process and number
  int64_t process = 0;
  int64_t number = 0;
  auto operator<=>(const DumpId&) const = default;
};

struct DumpRow {
  DumpId dump;
  std::string path;
  int64_t entries = 0;
  std::optional<int64_t> first_pending;
};

// A row of the fact collective_entry.
struct DumpEntry {
  template <class V>
  void Columns(V& v) {
    v("process", process);
    v("dump", dump);
    v("group_name", group_name);
    v("description", description);
    v("pg", pg);
    v("is_p2p", is_p2p);
    v("seqnum", seqnum);
    v("p2p_seqnum", p2p_seqnum);
    v("op", op);
    v("pending", pending);
    v("retired", retired);
    v("time", time);
    v("timeout_ms", timeout_ms);
    v("optype", optype);
    v("profiling_name", profiling_name);
    v("input_sizes", input_sizes);
    v("output_sizes", output_sizes);
    v("input_dtypes", input_dtypes);
    v("output_dtypes", output_dtypes);
  }
  int64_t process = 0;
  int64_t dump = 0;
  std::string group_name, description;
  std::optional<int64_t> pg;
  bool is_p2p = false;
  std::optional<int64_t> seqnum, p2p_seqnum;
  int64_t op = 0;
  bool pending = false;
  bool retired = false;
  std::optional<int64_t> time, timeout_ms;
  std::string optype, profiling_name;
  std::string input_sizes, output_sizes;  // JSON
  std::string input_dtypes, output_dtypes;
};

class CollectiveDumps {
 public:
  explicit CollectiveDumps(Store* store) : store_(store) {}

  Status Read();

  const CollectiveRecord& record() const { return record_; }
  const std::map<int64_t, DumpRow>& rows() const { return rows_; }  // by rank
  int64_t newest() const { return newest_; }  // time of any entry

 private:
  using Take = void (CollectiveDumps::*)(const DumpEntry& entry, int64_t rank,
                                         size_t group);
  Status ReadDumps();
  size_t GroupOf(const std::string& name, const std::string& ranks,
                 const std::string& description);
  Status ReadGroups();
  Status ReadEntries(Take take);
  bool IsCompleted(const DumpEntry& entry, int64_t rank, size_t group) const;
  void Survey(const DumpEntry& entry, int64_t rank, size_t group);
  void FillMembers();
  void FindPending(const DumpEntry& entry, int64_t rank, size_t group);
  void Keep(const DumpEntry& entry, int64_t rank, size_t group);
  void KeepPoint(const DumpEntry& entry, int64_t rank, size_t group);

  Store* store_;
  CollectiveRecord record_;
  std::map<int64_t, DumpRow> rows_;    // by rank
  std::map<DumpId, int64_t> dump_of_;  // the rank whose dump it is
  std::unordered_map<std::string, size_t> groups_;
  std::map<std::pair<DumpId, std::string>, size_t> group_of_;
  std::map<size_t, std::set<int64_t>> members_seen_;
  std::set<size_t> worlds_;
  int64_t newest_ = 0;
  std::set<std::pair<size_t, int64_t>> pending_;
};

}  // namespace inquest::facts
