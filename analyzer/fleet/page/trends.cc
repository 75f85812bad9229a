// SPDX-License-Identifier: Apache-2.0
#include "analyzer/fleet/page/trends.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace inquest::fleet {
namespace {

using nlohmann::json;

constexpr int64_t kMaxSpans = 62;
constexpr size_t kCausesNamed = 7;
constexpr int64_t kMonday = 4;  // the day 4 of 1970, of weeks of 7 days

struct DayOfCause {
  int64_t day = 0;
  std::string cause;
  int64_t runs = 0;
  double hours = 0;
  int64_t known = 0;  // runs of which the hours are known
};

int64_t Whole(const Field& field) {
  if (const auto* number = std::get_if<int64_t>(&field)) return *number;
  const auto* real = std::get_if<double>(&field);
  return real != nullptr ? static_cast<int64_t>(*real) : 0;
}

double Real(const Field& field) {
  if (const auto* real = std::get_if<double>(&field)) return *real;
  return static_cast<double>(Whole(field));
}

std::vector<DayOfCause> DaysIn(const Rows& by_day) {
  std::vector<DayOfCause> days;
  for (const Fields& row : by_day.rows) {
    const auto* cause = std::get_if<std::string>(&row[1]);
    if (cause == nullptr) continue;
    days.push_back(
        {Whole(row[0]), *cause, Whole(row[2]), Real(row[3]), Whole(row[4])});
  }
  return days;
}

struct Spans {
  int64_t first = 0;  // day
  int64_t days = 1;   // of each
  int64_t count = 0;
  size_t Of(int64_t day) const {
    return static_cast<size_t>((day - first) / days);
  }
};

// Days, weeks from Monday on, or twice, four times … as much.
Spans SpansOf(const std::vector<DayOfCause>& days) {
  const auto [least, most] = std::ranges::minmax(
      days, {}, [](const DayOfCause& one) { return one.day; });
  Spans spans = {least.day};
  if (most.day - least.day >= kMaxSpans) {
    spans.days = 7;
    spans.first -= ((least.day - kMonday) % 7 + 7) % 7;
    while ((most.day - spans.first) / spans.days >= kMaxSpans) spans.days *= 2;
  }
  spans.count = (most.day - spans.first) / spans.days + 1;
  return spans;
}

struct CauseOverTime {
  std::vector<int64_t> runs, known;
  std::vector<double> hours;
  int64_t all_runs = 0;
  double all_hours = 0;

  explicit CauseOverTime(int64_t spans)
      : runs(static_cast<size_t>(spans)),
        known(static_cast<size_t>(spans)),
        hours(static_cast<size_t>(spans)) {}
  void Add(size_t span, const DayOfCause& day) {
    runs[span] += day.runs;
    known[span] += day.known;
    hours[span] += day.hours;
    all_runs += day.runs;
    all_hours += day.hours;
  }
};

using Causes = std::map<std::string, CauseOverTime>;

// The most costly ones; of equal cost those of more runs.
std::vector<std::string> CausesNamed(const Causes& causes) {
  std::vector<std::string> names;
  for (const auto& [name, one] : causes) {
    if (name != "none") names.push_back(name);
  }
  std::ranges::stable_sort(names, [&](const auto& a, const auto& b) {
    const CauseOverTime& left = causes.at(a);
    const CauseOverTime& right = causes.at(b);
    return std::pair(left.all_hours, left.all_runs) >
           std::pair(right.all_hours, right.all_runs);
  });
  names.resize(std::min(names.size(), kCausesNamed));
  return names;
}

json CauseData(const std::string& name, const CauseOverTime& cause) {
  json hours = json::array();
  for (size_t i = 0; i < cause.hours.size(); ++i) {
    hours.push_back(cause.known[i] > 0 ? json(cause.hours[i]) : json(nullptr));
  }
  return {{"cause", name}, {"runs", cause.runs}, {"hours", std::move(hours)}};
}

}  // namespace

json TrendData(const Rows& by_day) {
  const std::vector<DayOfCause> days = DaysIn(by_day);
  if (days.empty()) return json::object();
  const Spans spans = SpansOf(days);
  Causes causes;
  CauseOverTime all(spans.count), others(spans.count);
  for (const DayOfCause& one : days) {
    all.Add(spans.Of(one.day), one);
    causes.try_emplace(one.cause, spans.count)
        .first->second.Add(spans.Of(one.day), one);
  }
  const auto named = CausesNamed(causes);
  json list = json::array();
  for (const std::string& name : named) {
    list.push_back(CauseData(name, causes.at(name)));
  }
  for (const DayOfCause& one : days) {
    if (one.cause == "none" || std::ranges::count(named, one.cause) > 0) {
      continue;
    }
    others.Add(spans.Of(one.day), one);
  }
  if (others.all_runs > 0) list.push_back(CauseData("", others));
  return {{"first_day", spans.first},
          {"days", spans.days},
          {"spans", spans.count},
          {"runs", all.runs},
          {"causes", std::move(list)}};
}

}  // namespace inquest::fleet
