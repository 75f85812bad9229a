// SPDX-License-Identifier: Apache-2.0
#include "analyzer/facts/derive/clocks.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "base/rows.h"

namespace inquest::facts {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr size_t kMaxShared =
    200;  // events that tie two clocks; more add nothing

// An event that several ranks see, once for each clock.
struct Sighting {
  template <class V>
  void Columns(V& v) {
    v("clock", clock);
    v("event", event);
    v("time", time);
  }
  std::string clock;
  std::string event;
  int64_t time = 0;
};

struct ClockRow {
  template <class V>
  void Columns(V& v) {
    v("clock", clock);
    v("offset_ns", offset_ns);
    v("error_ns", error_ns);
    v("tied_by", tied_by);
    v("shared", shared);
  }
  std::string clock;
  int64_t offset_ns = 0;
  int64_t error_ns = 0;
  std::optional<std::string> tied_by;
  size_t shared = 0;
};

using Times = std::map<std::string, int64_t>;  // of events

int64_t Median(std::vector<int64_t> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Half the range that holds nine of ten differences.
int64_t Spread(std::vector<int64_t> values) {
  std::ranges::sort(values);
  const auto cut = std::ssize(values) / 20;
  return (*(values.end() - 1 - cut) - *(values.begin() + cut)) / 2 + 1;
}

// How long a step lasts: ranks of a pipeline may be that far apart.
int64_t Interval(const Times& times) {
  std::vector<int64_t> sorted, gaps;
  for (const auto& [event, time] : times) sorted.push_back(time);
  std::ranges::sort(sorted);
  for (size_t i = 1; i < sorted.size(); ++i) {
    gaps.push_back(sorted[i] - sorted[i - 1]);
  }
  return gaps.empty() ? 0 : std::min(Median(std::move(gaps)), 10 * kSecond);
}

// What is common to all ties of one kind.
struct Edge {
  const char* name;
  int64_t error = 0;  // that the kind of event leaves open
};

class Clocks {
 public:
  // Ties what it can by events of one kind; what is tied already helps.
  void Tie(const Edge& edge, const std::map<std::string, Times>& seen) {
    if (tied_.empty()) Begin(seen);
    Times job;  // the events by the job's clock
    for (const auto& [clock, row] : tied_) AddTo(&job, seen, clock);
    for (bool more = true; more;) {
      more = false;
      for (const auto& [clock, times] : seen) {
        if (tied_.contains(clock) || !TieOne(edge, clock, times, job)) continue;
        AddTo(&job, seen, clock);
        more = true;
      }
    }
  }

  std::map<std::string, ClockRow> Take() { return std::move(tied_); }

 private:
  // The clock with most events is the job's.
  void Begin(const std::map<std::string, Times>& seen) {
    const auto first = std::ranges::max_element(
        seen, {}, [](const auto& one) { return one.second.size(); });
    if (first == seen.end()) return;
    tied_[first->first] = {first->first, 0, 0, "it is the job's clock", 0};
  }

  void AddTo(Times* job, const std::map<std::string, Times>& seen,
             const std::string& clock) const {
    const auto times = seen.find(clock);
    if (times == seen.end()) return;
    for (const auto& [event, time] : times->second) {
      job->try_emplace(event, time - tied_.at(clock).offset_ns);
    }
  }

  bool TieOne(const Edge& edge, const std::string& clock, const Times& times,
              const Times& job) {
    std::vector<int64_t> differences;
    for (const auto& [event, time] : times) {
      const auto known = job.find(event);
      if (known == job.end()) continue;
      differences.push_back(time - known->second);
      if (differences.size() == kMaxShared) break;
    }
    if (differences.empty()) return false;
    ClockRow row{clock, Median(differences), 0, edge.name, differences.size()};
    row.error_ns = Spread(differences) + edge.error;
    // One common event may be a coincidence of numbers.
    if (differences.size() == 1) row.error_ns += 5 * kSecond;
    tied_[clock] = row;
    return true;
  }

  std::map<std::string, ClockRow> tied_;
};

Expected<std::map<std::string, Times>> Seen(Store* store,
                                            const std::string& select) {
  ASSIGN_OR_RETURN(auto rows, SelectRows<Sighting>(&store->db(), select));
  std::map<std::string, Times> seen;
  for (Sighting one; rows.Next(&one);) seen[one.clock][one.event] = one.time;
  RETURN_IF_ERROR(rows.statement().status());
  return seen;
}

// Of the ranks on one clock the first to print a step counts: all of them wait
// for the last.
Expected<std::map<std::string, Times>> StepsSeen(Store* store) {
  return Seen(store,
              "FROM (SELECT clock, signature || ' ' || (figures ->> '$.step') "
              "AS event, min(time) AS time FROM store_event_clock WHERE "
              "role = 'progress' AND time IS NOT NULL AND figures ->> '$.step' "
              "IS NOT NULL GROUP BY 1, 2 HAVING max(time) - min(time) < "
              "10000000000)");
}

Expected<std::map<std::string, Times>> CollectivesSeen(Store* store) {
  return Seen(store,
              "FROM (SELECT clock, (figures ->> '$.optype') || ' ' || "
              "(figures ->> '$.seqnum') AS event, min(time) AS time FROM "
              "store_event_clock WHERE fact = 'collective' AND time IS NOT "
              "NULL AND figures ->> '$.seqnum' IS NOT NULL AND "
              "coalesce(figures ->> '$.pg', 'default') LIKE '%default%' "
              "GROUP BY 1, 2)");
}

// Clocks of logs that something is known of; others are as they are.
Expected<std::vector<std::string>> AllClocks(Store* store) {
  std::vector<std::string> clocks;
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare("SELECT DISTINCT clock FROM store_event_clock WHERE "
                          "time IS NOT NULL ORDER BY 1"));
  while (row.Step()) clocks.emplace_back(row.Text(0));
  RETURN_IF_ERROR(row.status());
  return clocks;
}

}  // namespace

Status RelateClocks(Store* store) {
  ASSIGN_OR_RETURN(const std::vector<std::string> all, AllClocks(store));
  if (all.size() < 2) return Status::Ok();
  ASSIGN_OR_RETURN(const auto steps, StepsSeen(store));
  ASSIGN_OR_RETURN(const auto collectives, CollectivesSeen(store));
  int64_t interval = 0;
  for (const auto& [clock, times] : steps) {
    interval = std::max(interval, Interval(times));
  }
  Clocks clocks;
  clocks.Tie({"equal steps", std::min(interval, kSecond)}, steps);
  clocks.Tie({"the same collective", 3 * kSecond}, collectives);
  const std::map<std::string, ClockRow> tied = clocks.Take();
  ASSIGN_OR_RETURN(auto insert,
                   InsertInto<ClockRow>(&store->db(), "store_clock"));
  for (const std::string& clock : all) {
    const auto known = tied.find(clock);
    RETURN_IF_ERROR(insert.Add(known == tied.end()
                                   ? ClockRow{clock, 0, kUntied, {}, 0}
                                   : known->second));
  }
  return store->db().Execute(
      "UPDATE store_log_event SET (clock_offset, clock_error) = (SELECT "
      "offset_ns, error_ns FROM store_clock AS c, store_event_clock AS e WHERE "
      "e.id = store_log_event.id AND c.clock = e.clock) WHERE id IN (SELECT "
      "e.id FROM store_event_clock AS e JOIN store_clock AS c USING (clock))");
}

}  // namespace inquest::facts
