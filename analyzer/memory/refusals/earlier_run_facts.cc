// SPDX-License-Identifier: Apache-2.0
#include "analyzer/memory/refusals/earlier_run_facts.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "analyzer/memory/refusals/earlier_range.h"
#include "base/capped.h"
#include "base/rows.h"

namespace inquest::memory {
namespace {

struct EarlierRunRow {
  template <class V>
  void Columns(V& v) {
    v("oom", oom);
    v("framework_oom", framework_oom);
    v("process", process);
    v("device", device);
    v("site", site);
    v("later_site", later_site);
    v("function", function);
    v("caller", caller);
    v("later_caller", later_caller);
    v("bytes", bytes);
    v("blocks", blocks);
    v("begin_time", begin_time);
    v("end_time", end_time);
    v("later_time", later_time);
    v("same_sizes", same_sizes);
    v("older", older);
    v("range", range);
    v("later_range", later_range);
  }
  std::optional<int64_t> oom, framework_oom;
  int process = 0;
  int device = 0;
  int64_t site = 0, later_site = 0;
  std::string function;
  std::optional<std::string> caller, later_caller;
  int64_t bytes = 0, blocks = 0;
  int64_t begin_time = 0, end_time = 0, later_time = 0;
  bool same_sizes = false, older = false;
  std::optional<std::string> range, later_range;
};

std::string Place(const Frame& frame) {
  if (frame.file.empty()) return frame.function;
  const size_t slash = frame.file.find_last_of('/');
  return frame.function + " (" + frame.file.substr(slash + 1) + ':' +
         std::to_string(frame.line) + ')';
}

// Where two call stacks part, seen from the allocation: the first functions
// that differ or, where only lines do, their places. Two cells of a notebook
// have nothing in common.
std::optional<std::pair<std::string, std::string>> WhereTheyPart(
    const std::vector<Frame>& one, const std::vector<Frame>& other) {
  const size_t common = std::min(one.size(), other.size());
  if (common > 0 && IsNotebookCell(one[0].file) &&
      one[0].file != other[0].file) {
    return {};
  }
  for (size_t i = 0; i < common; ++i) {
    if (one[i].function != other[i].function) {
      return {{one[i].function, other[i].function}};
    }
    if (one[i].line != other[i].line) {
      return {{Place(one[i]), Place(other[i])}};
    }
  }
  return {};
}

// Far more than a program has runs; steps are among them.
constexpr int64_t kMaxRanges = 100'000;

Expected<std::vector<RunRange>> ReadRanges(const EarlierRunContext& context) {
  ASSIGN_OR_RETURN(
      Statement row,
      context.store->db().Prepare("SELECT name, begin_ns, end_ns FROM " +
                                  context.store->TracePrefix(context.process) +
                                  "step ORDER BY begin_ns LIMIT ?"));
  row.BindAll(kMaxRanges);
  std::vector<RunRange> ranges;
  for (RunRange one; row.Next(&one.name, &one.begin, &one.end);) {
    ranges.push_back(one);
  }
  RETURN_IF_ERROR(row.status());
  return ranges;
}

EarlierRunRow RowOf(const EarlierRunContext& context, const RefusalKey& key,
                    const EarlierRun& run, const std::vector<Site>& sites) {
  const int64_t offset = context.store->ClockOffset(context.process);
  EarlierRunRow row;
  row.oom = key.oom;
  row.framework_oom = key.framework_oom;
  row.process = context.process;
  row.device = key.device;
  row.site = context.site_id(run.earlier.site);
  row.later_site = context.site_id(run.later.site);
  const std::vector<Frame>& frames = sites[run.earlier.site].frames;
  row.function = frames.empty() ? "(unknown)" : frames.front().function;
  row.bytes = run.bytes;
  row.blocks = run.blocks;
  row.begin_time = AddCapped(run.begin, offset);
  row.end_time = AddCapped(run.end, offset);
  row.later_time = AddCapped(run.later_begin, offset);
  row.same_sizes = run.same_sizes;
  row.older = run.older;
  return row;
}

}  // namespace

Status WriteEarlierRun(const EarlierRunContext& context, const RefusalKey& key,
                       HeldAtRefusal held, const std::vector<Site>& sites) {
  held.in_step = context.in_step;
  held.all_frames = context.all_frames;
  EarlierRunRow row;
  if (const auto run = FindEarlierRun(held, sites)) {
    row = RowOf(context, key, *run, sites);
    if (auto callers = WhereTheyPart(context.frames(run->earlier.stack),
                                     context.frames(run->later.stack))) {
      row.caller = std::move(callers->first);
      row.later_caller = std::move(callers->second);
    }
  } else {
    ASSIGN_OR_RETURN(const std::vector<RunRange> ranges, ReadRanges(context));
    const auto named = FindEarlierRange(held, ranges);
    if (!named) return Status::Ok();
    row = RowOf(context, key, named->run, sites);
    row.range = named->name;
    row.later_range = named->later_name;
  }
  ASSIGN_OR_RETURN(auto table, InsertInto<EarlierRunRow>(&context.store->db(),
                                                         "store_earlier_run"));
  return table.Add(row);
}

}  // namespace inquest::memory
