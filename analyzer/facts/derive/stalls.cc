#include "analyzer/facts/derive/stalls.h"

#include <fmt/format.h>

#include "analyzer/facts/derive/collective_dumps.h"
#include "analyzer/facts/store/optional_column.h"

namespace inquest::facts {
namespace {

using Kind = CollectiveStall::Kind;
using Role = RankState::Role;

std::string Join(const std::set<int64_t>& ranks) {
  constexpr size_t kMost = 64;
  std::string text;
  size_t written = 0;
  for (const int64_t rank : ranks) {
    if (++written > kMost) {
      return text + fmt::format(" and {} more", ranks.size() - kMost);
    }
    text += fmt::format("{}{}", text.empty() ? "" : ", ", rank);
  }
  return text;
}

class StallWriter {
 public:
  StallWriter(Store* store, const CollectiveDumps& dumps)
      : store_(store), dumps_(dumps) {}

  Status Write() {
    const CollectiveWaits waits = FindWaits(dumps_.record());
    RETURN_IF_ERROR(WriteStalls(waits));
    return WriteRanks(waits);
  }

 private:
  // Somebody was still at work when it should have ended long ago.
  bool HasTimedOut(const CollectiveStall& stall) const {
    constexpr int64_t kNanoseconds = 1000000;  // in a millisecond
    if (stall.timed_out || !stall.time || !stall.timeout_ms) {
      return stall.timed_out;
    }
    return (dumps_.newest() - *stall.time) / kNanoseconds >= *stall.timeout_ms;
  }

  Status WriteStalls(const CollectiveWaits& waits) {
    ASSIGN_OR_RETURN(
        Statement row,
        store_->db().Prepare(
            "INSERT INTO store_collective_stall VALUES (NULL, ?, ?, ?, ?, ?, "
            "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"));
    for (const CollectiveStall& stall : waits.stalls) {
      const CollectiveGroup& group = dumps_.record().groups[stall.group];
      row.Bind(0, group.name);
      BindText(&row, 1, group.description);
      row.Bind(2, group.members_told
                      ? static_cast<int64_t>(group.members.size())
                      : int64_t{0});
      row.Bind(3, stall.seq);
      BindText(&row, 4, stall.call.type);
      BindText(&row, 5, stall.call.input_sizes);
      BindText(&row, 6, stall.call.input_dtypes);
      BindOptional(&row, 7, stall.time);
      BindOptional(&row, 8, stall.timeout_ms);
      row.Bind(9, int64_t{HasTimedOut(stall)}).Bind(10, NameOf(stall.kind));
      row.Bind(11, Join(stall.entered));
      row.Bind(12, static_cast<int64_t>(stall.waiting.size()));
      BindText(&row, 13, Join(stall.missing));
      row.Bind(14, static_cast<int64_t>(stall.missing.size()));
      BindText(&row, 15, Join(stall.dumpless));
      BindText(&row, 16, Join(stall.odd));
      BindText(&row, 17, stall.differs);
      BindText(&row, 18, stall.expected);
      BindText(&row, 19, stall.found);
      RETURN_IF_ERROR(row.Run());
    }
    return Status::Ok();
  }

  Status WriteRanks(const CollectiveWaits& waits) {
    ASSIGN_OR_RETURN(Statement row,
                     store_->db().Prepare("INSERT INTO store_collective_rank "
                                          "VALUES (?, ?, ?, ?, ?, ?, ?, ?, "
                                          "?)"));
    for (const auto& [rank, state] : waits.ranks) {
      const DumpRow& dump = dumps_.rows().at(rank);
      row.Bind(0, rank).Bind(1, dump.dump.process).Bind(2, dump.path);
      row.Bind(3, dump.entries).Bind(4, dumps_.record().dumps.at(rank).pending);
      BindOptional(&row, 5, dump.first_pending);
      row.Bind(6, state.missing_from);
      BindText(&row, 7, Join(state.waits_for));
      RETURN_IF_ERROR(row.Bind(8, NameOf(state.role)).Run());
    }
    return Status::Ok();
  }

  static void BindText(Statement* row, int at, const std::string& text) {
    if (text.empty()) {
      row->BindNull(at);
    } else {
      row->Bind(at, text);
    }
  }

  static const char* NameOf(Kind kind) {
    switch (kind) {
      case Kind::kMissing:
        return "missing";
      case Kind::kMismatch:
        return "mismatch";
      case Kind::kEntered:
        return "entered";
      case Kind::kUnknown:
        break;
    }
    return "unknown";
  }

  static const char* NameOf(Role role) {
    switch (role) {
      case Role::kCulprit:
        return "culprit";
      case Role::kDeadlock:
        return "deadlock";
      case Role::kOdd:
        return "odd";
      case Role::kWaiting:
        return "waiting";
      case Role::kIdle:
        break;
    }
    return "idle";
  }

  Store* store_;
  const CollectiveDumps& dumps_;
};

}  // namespace

Status CollectStalls(Store* store) {
  CollectiveDumps dumps(store);
  RETURN_IF_ERROR(dumps.Read());
  if (dumps.rows().empty()) return Status::Ok();
  return StallWriter(store, dumps).Write();
}

}  // namespace inquest::facts
