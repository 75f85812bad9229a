// SPDX-License-Identifier: Apache-2.0
#include "analyzer/hangs/ras/ras_facts.h"

#include <fmt/format.h>

#include <set>

#include "analyzer/hangs/common/quoted_lines.h"
#include "analyzer/hangs/common/who.h"
#include "base/rows.h"

namespace inquest::hangs {
namespace {

using facts::NullIfEmpty;

struct RasRow {
  template <class V>
  void Columns(V& v) {
    v("kind", kind);
    v("source", source);
    v("line", line);
    v("communicator", communicator);
    v("size", size);
    v("who", who);
    v("ranks", ranks);
    v("rank", rank);
    v("pid", pid);
    v("host", host);
    v("gpus", gpus);
    v("operation", operation);
    v("launched", launched);
    v("by_most", by_most);
    v("most", most);
    v("said", said);
    v("time_limits", time_limits);
    v("event", event);
  }
  std::string kind;
  int64_t source = 0, line = 0;
  std::optional<std::string> communicator;
  std::optional<int64_t> size;
  std::optional<std::string> who;
  int64_t ranks = 0;
  std::optional<int64_t> rank, pid;
  std::optional<std::string> host, gpus, operation;
  std::optional<int64_t> launched, by_most, most;
  std::optional<std::string> said;
  std::optional<int64_t> time_limits, event;
};

std::string WhoOf(const RasItem& item) {
  std::set<int64_t> ranks;
  std::vector<std::string> processes;
  for (const RasRank& one : item.who) {
    if (one.rank) {
      ranks.insert(*one.rank);
    } else if (one.pid) {
      processes.push_back(fmt::format("process {} on node {}, GPU {}", *one.pid,
                                      one.host, one.gpus));
    }
  }
  if (ranks.empty() && processes.empty()) return {};
  if (ranks.empty()) return Listed(processes, 8);
  std::string text = RanksInWords(ranks);
  const RasRank& first = item.who.front();
  if (ranks.size() == 1 && first.pid) {
    text += fmt::format(" (process {} on node {}, GPU {})", *first.pid,
                        first.host, first.gpus);
  }
  return text;
}

RasRow RowOf(const RasItem& item) {
  RasRow row;
  row.kind = item.kind;
  row.source = static_cast<int64_t>(item.at.source) + 1;
  row.line = item.at.line;
  row.communicator = NullIfEmpty(item.communicator);
  row.size = item.size;
  row.who = NullIfEmpty(WhoOf(item));
  row.ranks = item.ranks;
  row.operation = NullIfEmpty(item.operation);
  row.launched = item.launched;
  row.by_most = item.by_most;
  row.most = item.most;
  row.said = NullIfEmpty(item.said);
  row.time_limits = item.time_limits;
  if (item.who.empty()) return row;
  const RasRank& first = item.who.front();
  row.rank = first.rank;
  row.pid = first.pid;
  row.host = NullIfEmpty(first.host);
  row.gpus = NullIfEmpty(first.gpus);
  return row;
}

}  // namespace

Status WriteRasFacts(const RasReports& reports, facts::Store* store) {
  if (reports.items.empty()) return Status::Ok();
  ASSIGN_OR_RETURN(auto rows,
                   InsertInto<RasRow>(&store->db(), "store_ras_state"));
  ASSIGN_OR_RETURN(QuotedLines lines, QuotedLines::Make(store));
  for (const RasItem& item : reports.items) {
    RasRow row = RowOf(item);
    ASSIGN_OR_RETURN(row.event, lines.Add({item.at.source, item.at.line,
                                           item.at.offset, row.rank, row.pid,
                                           item.at.text, "nccl.ras.line"}));
    RETURN_IF_ERROR(rows.Add(row));
  }
  return Status::Ok();
}

}  // namespace inquest::hangs
