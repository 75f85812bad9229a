// Reads what the dumps of flight recorders say from the facts, as the record
// that collective_waits.h works on. For stalls.cc; one thread. Memory: that of
// the collectives which are pending anywhere.
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

class CollectiveDumps {
 public:
  explicit CollectiveDumps(Store* store) : store_(store) {}

  Status Read();

  const CollectiveRecord& record() const { return record_; }
  const std::map<int64_t, DumpRow>& rows() const { return rows_; }  // by rank
  int64_t newest() const { return newest_; }  // time of any entry

 private:
  using Take = void (CollectiveDumps::*)(const Statement& row, int64_t rank,
                                         size_t group);
  Status ReadDumps();
  size_t GroupOf(const std::string& name, const std::string& ranks,
                 const std::string& description);
  Status ReadGroups();
  Status ReadEntries(Take take);
  bool IsCompleted(const Statement& row, int64_t rank, size_t group) const;
  void Survey(const Statement& row, int64_t rank, size_t group);
  void FillMembers();
  void FindPending(const Statement& row, int64_t rank, size_t group);
  void Keep(const Statement& row, int64_t rank, size_t group);
  void KeepPoint(const Statement& row, int64_t rank, size_t group);

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
