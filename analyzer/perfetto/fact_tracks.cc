// SPDX-License-Identifier: Apache-2.0
// What facts say of a process, on tracks of its own: each row a slice, an
// instant or the value of a counter.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/perfetto/lanes.h"
#include "analyzer/perfetto/process_tracks.h"
#include "base/capped.h"
#include "base/database.h"

namespace inquest::perfetto {
namespace {

// Rows of a fact of this process. Of the columns the first ones are read by
// `use`, and those after `fixed` become arguments.
Status ForEachRow(const ProcessTracks& tracks, const std::string& sql,
                  const std::function<void(const Statement&)>& use) {
  ASSIGN_OR_RETURN(Statement rows, tracks.store->db().Prepare(sql));
  rows.BindAll(tracks.process);
  while (rows.Step()) use(rows);
  return rows.status();
}

Arguments ArgumentsFrom(const Statement& row, int first) {
  Arguments all;
  for (int i = first; i < row.columns(); ++i) {
    if (row.IsNull(i)) continue;
    const std::string_view name = row.ColumnName(i);
    if (row.IsInteger(i)) {
      all.push_back({name, row.Int(i)});
    } else {
      all.push_back({name, row.Text(i)});
    }
  }
  return all;
}

// A track that is there only if something is on it.
class LateTrack {
 public:
  LateTrack(const ProcessTracks& tracks, std::string name)
      : tracks_(tracks), name_(std::move(name)) {}
  Track Get() {
    if (track_ == 0) {
      track_ = tracks_.writer->AddTrack(tracks_.track, name_, Row::kInstants);
    }
    return track_;
  }

 private:
  const ProcessTracks& tracks_;
  std::string name_;
  Track track_ = 0;
};

// name, begin, end (NULL: it has none), arguments. In the order of begin; what
// overlaps goes on lanes.
Status WriteSlices(const ProcessTracks& tracks, const std::string& name,
                   Row place, const std::string& sql) {
  struct Open {
    int64_t end;
    Track lane;
    bool operator<(const Open& other) const { return end > other.end; }
  };
  Lanes lanes(tracks.writer, tracks.track, name, place, tracks.options.lanes);
  std::priority_queue<Open> open;
  const auto close_until = [&](int64_t time) {
    while (!open.empty() && open.top().end <= time) {
      tracks.writer->EndSlice(open.top().lane, open.top().end);
      lanes.GiveBack(open.top().lane);
      open.pop();
    }
  };
  RETURN_IF_ERROR(ForEachRow(tracks, sql, [&](const Statement& row) {
    const int64_t begin = row.Int(1);
    close_until(begin);
    const Track lane = lanes.Take();
    if (lane == 0) return;
    tracks.writer->BeginSlice(lane, begin, tracks.writer->NameOf(row.Text(0)),
                              ArgumentsFrom(row, 3));
    if (!row.IsNull(2)) open.push({std::max(begin, row.Int(2)), lane});
  }));
  close_until(INT64_MAX);
  return Status::Ok();
}

// track, name, time, arguments.
Status WriteInstants(const ProcessTracks& tracks, const std::string& sql) {
  std::map<std::string, LateTrack> made;
  return ForEachRow(tracks, sql, [&](const Statement& row) {
    const std::string of(row.Text(0));
    const Track track =
        made.try_emplace(of, LateTrack(tracks, of)).first->second.Get();
    tracks.writer->Instant(track, row.Int(2),
                           tracks.writer->NameOf(row.Text(1)),
                           ArgumentsFrom(row, 3));
  });
}

// time, counter, value.
Status WriteCounters(const ProcessTracks& tracks, Row place,
                     const std::string& sql) {
  std::map<std::string, Track> made;
  return ForEachRow(tracks, sql, [&](const Statement& row) {
    if (row.IsNull(2)) return;
    Track& track = made[std::string(row.Text(1))];
    if (track == 0) {
      track = tracks.writer->AddCounter(tracks.track, row.Text(1), place);
    }
    tracks.writer->Set({{track, row.Int(2)}}, row.Int(0));
  });
}

constexpr char kSteps[] =
    "SELECT name, begin_time, end_time, step, live_bytes, found_by FROM step "
    "WHERE process = ? ORDER BY begin_time";
// The time of a row is that of the call's return.
constexpr char kCudnnCalls[] =
    "SELECT function, time - duration, time, result, operation, detail FROM "
    "cudnn_call WHERE process = ? ORDER BY time - duration";
constexpr char kCudnnIntervals[] =
    "SELECT function, first_time, last_time, operation, algorithm, knobs, "
    "workspace_bytes, calls, failed, total_ns, max_ns FROM cudnn_interval "
    "WHERE process = ? ORDER BY first_time";
constexpr char kRefusals[] =
    "SELECT 'GPU ' || device || ' refusals', 'refused', time, "
    "requested_bytes, free_bytes, largest_free_bytes, live_bytes, other_bytes, "
    "reserved_bytes, reason, survived, evidence FROM oom WHERE process = ? AND "
    "source = 'trace' AND time IS NOT NULL ORDER BY time";
constexpr char kErrors[] =
    "SELECT 'failed calls', function || ': ' || name, time, api, result, text, "
    "device, sticky FROM api_error WHERE process = ? ORDER BY time";
constexpr char kDeviceEvents[] =
    "SELECT 'events', kind || ' ' || value, time, device, text FROM "
    "device_event WHERE process = ? ORDER BY time";
constexpr char kMessages[] =
    "SELECT 'messages of libraries', source || ' ' || severity, time, text "
    "FROM message WHERE process = ? ORDER BY time";
constexpr char kDriverSamples[] =
    "SELECT time, 'GPU ' || device || ' used, as the driver says', used_bytes "
    "FROM device_ledger WHERE process = ?1 UNION ALL "
    "SELECT time, 'GPU ' || device || ' held by other processes', other_bytes "
    "FROM device_ledger WHERE process = ?1 ORDER BY 1";
constexpr char kPoolSamples[] =
    "SELECT last_time, 'GPU ' || device || ' framework: allocated', "
    "allocated_bytes FROM framework_memory WHERE process = ?1 UNION ALL "
    "SELECT last_time, 'GPU ' || device || ' framework: reserved', "
    "reserved_bytes FROM framework_memory WHERE process = ?1 ORDER BY 1";

}  // namespace

Status WriteFacts(const ProcessTracks& tracks) {
  RETURN_IF_ERROR(WriteSlices(tracks, "steps", Row::kSteps, kSteps));
  RETURN_IF_ERROR(WriteSlices(tracks, "cuDNN calls", Row::kCudnn, kCudnnCalls));
  RETURN_IF_ERROR(
      WriteSlices(tracks, "cuDNN layers", Row::kCudnn, kCudnnIntervals));
  for (const char* sql : {kRefusals, kErrors, kDeviceEvents, kMessages}) {
    RETURN_IF_ERROR(WriteInstants(tracks, sql));
  }
  RETURN_IF_ERROR(WriteCounters(tracks, Row::kDriver, kDriverSamples));
  return WriteCounters(tracks, Row::kFramework, kPoolSamples);
}

}  // namespace inquest::perfetto
