// SPDX-License-Identifier: Apache-2.0
#include "analyzer/facts/derive/oom.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "base/json_text.h"
#include "base/rows.h"

namespace inquest::facts {
namespace {

using nlohmann::json;

// How many lines below the first one its statistics may be: an allocator's dump
// lists every chunk in between.
constexpr int64_t kMaxLinesBelow = 50'000;

// A recognised line about a refusal.
struct OomLine {
  template <class V>
  void Columns(V& v) {
    v("id", id);
    v("source", source);
    v("line", line);
    v("time", time);
    v("rank", rank);
    v("pid", pid);
    v("role", role);
    v("survived", survived);
    v("figures", figures);
  }
  bool BeginsRefusal() const { return role == "cause" || role == "symptom"; }

  int64_t id = 0;
  int64_t source = 0;
  int64_t line = 0;
  std::optional<int64_t> time, rank, pid;
  std::string role;
  bool survived = false;
  std::string figures;  // JSON
};

// A row of store_oom.
struct LogOom {
  template <class V>
  void Columns(V& v) {
    const std::string_view origin = "log";
    v("source", origin);
    v("evidence", evidence);
    v("time", time);
    v("rank", rank);
    v("pid", pid);
    v("survived", survived);
    Figures(v);
  }
  // Columns that captures of the same names fill.
  template <class V>
  void Figures(V& v) {
    v("device", device);
    v("requested_bytes", requested);
    v("free_bytes", free);
    v("total_bytes", total);
    v("live_bytes", live);
    v("gap_bytes", gaps);
    v("largest_free_bytes", largest_free);
    v("other_bytes", other);
    v("allocated_bytes", allocated);
    v("reserved_bytes", reserved);
    v("reserved_unallocated_bytes", unallocated);
    v("process_bytes", process);
    v("limit_bytes", limit);
    v("in_use_bytes", in_use);
    v("max_in_use_bytes", max_in_use);
    v("num_allocs", allocs);
    v("max_alloc_bytes", max_alloc);
  }

  OomLine first;
  std::string evidence;
  std::optional<int64_t> time, rank, pid, device;
  std::optional<int64_t> requested, free, total, live, gaps, largest_free;
  std::optional<int64_t> other, allocated, reserved, unallocated, process;
  std::optional<int64_t> limit, in_use, max_in_use, allocs, max_alloc;
  bool survived = false;
};

LogOom Begin(const OomLine& line) {
  LogOom oom;
  oom.first = line;
  oom.evidence = "log_event:" + std::to_string(line.id);
  oom.time = line.time;
  oom.rank = line.rank;
  oom.pid = line.pid;
  oom.survived = line.survived;
  return oom;
}

bool IsSameLine(const LogOom& oom, const OomLine& line) {
  return oom.first.source == line.source && oom.first.line == line.line;
}

bool Belongs(const LogOom& oom, const OomLine& line) {
  return line.source == oom.first.source &&
         line.line - oom.first.line <= kMaxLinesBelow &&
         (!line.rank || !oom.rank || *line.rank == *oom.rank);
}

// Figures already known stay: the line nearest to the refusal is the best.
void Complete(LogOom* oom, const json& figures) {
  auto take = [&](const char* name, std::optional<int64_t>& into) {
    const auto found = figures.find(name);
    if (into || found == figures.end() || !found->is_number()) return;
    into = found->get<int64_t>();
  };
  oom->Figures(take);
}

// What follows from the other figures when the log does not say it.
void Derive(LogOom* oom) {
  const auto& allocated = oom->allocated;
  // A log may claim more bytes than there are numbers.
  int64_t result = 0;
  if (!oom->unallocated && oom->reserved && allocated &&
      *oom->reserved >= *allocated &&
      !__builtin_sub_overflow(*oom->reserved, *allocated, &result)) {
    oom->unallocated = result;
  }
  if (!oom->reserved && oom->unallocated && allocated &&
      !__builtin_add_overflow(*allocated, *oom->unallocated, &result)) {
    oom->reserved = result;
  }
}

Expected<std::vector<LogOom>> ReadOoms(Store* store) {
  ASSIGN_OR_RETURN(
      auto lines, SelectRows<OomLine>(&store->db(),
                                      "FROM store_log_event WHERE fact = 'oom' "
                                      "ORDER BY source, line, id"));
  std::vector<LogOom> ooms;
  for (OomLine line; lines.Next(&line);) {
    const json figures = ParseJson(line.figures);
    if (figures.is_discarded()) continue;
    if (line.BeginsRefusal() &&
        (ooms.empty() || !IsSameLine(ooms.back(), line))) {
      ooms.push_back(Begin(line));
    }
    if (ooms.empty() || !Belongs(ooms.back(), line)) continue;
    Complete(&ooms.back(), figures);
  }
  RETURN_IF_ERROR(lines.statement().status());
  return ooms;
}

}  // namespace

Status CollectLogOoms(Store* store) {
  ASSIGN_OR_RETURN(std::vector<LogOom> ooms, ReadOoms(store));
  ASSIGN_OR_RETURN(auto table, InsertInto<LogOom>(&store->db(), "store_oom"));
  for (LogOom& oom : ooms) {
    Derive(&oom);
    RETURN_IF_ERROR(table.Add(oom));
  }
  return Status::Ok();
}

}  // namespace inquest::facts
