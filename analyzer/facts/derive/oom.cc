// SPDX-License-Identifier: Apache-2.0
#include "analyzer/facts/derive/oom.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "base/json_text.h"
#include "base/rows.h"

namespace inquest::facts {
namespace {

using nlohmann::json;

// The maximum distance in lines from a refusal to its statistics: an
// allocator's dump lists every chunk in between.
constexpr int64_t kMaxLinesBelow = 50'000;
// To lines that are a part of the refusal's own message.
constexpr int64_t kMaxLinesOfMessage = 8;

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

// A process whose device memory the refusal lists. It may be the program
// itself: in a container it has another pid.
struct Neighbour {
  int64_t pid = 0;
  int64_t bytes = 0;
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
  // Columns that are filled from captures of the same name.
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
  json below = json::object();  // figures of the message's further lines
  std::vector<Neighbour> neighbours;
  std::optional<int64_t>
      driver_pid;  // of this process, in the driver's numbering
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

// Known figures stay: the line nearest to the refusal is the best.
void Complete(LogOom* oom, const json& figures) {
  auto take = [&](const char* name, std::optional<int64_t>& into) {
    const auto found = figures.find(name);
    if (into || found == figures.end() || !found->is_number()) return;
    into = found->get<int64_t>();
  };
  oom->Figures(take);
}

// A message may have its sizes in lines of their own.
void AddBelow(LogOom* oom, const OomLine& line, const json& figures) {
  if (line.role == "confirm" && !IsSameLine(*oom, line) &&
      line.line - oom->first.line <= kMaxLinesOfMessage) {
    oom->below.update(figures);
  }
}

void AddNeighbour(LogOom* oom, const json& figures) {
  const auto pid = figures.find("other_pid");
  const auto bytes = figures.find("other_process_bytes");
  if (pid == figures.end() || bytes == figures.end() || !pid->is_number() ||
      !bytes->is_number()) {
    return;
  }
  oom->neighbours.push_back({pid->get<int64_t>(), bytes->get<int64_t>()});
}

// Printed sizes are rounded and not from the same moment.
constexpr double kSlack = 1.01;

double Of(const std::optional<int64_t>& bytes) {
  return static_cast<double>(bytes.value_or(0));
}

// Whether these can all be on the card at once.
bool FitsCard(const LogOom& oom, double bytes) {
  return bytes + Of(oom.free) <= Of(oom.total) * kSlack;
}

// In a container the driver lists the process under its pid outside, or without
// bytes. It is the one that has as much as the allocator holds, if all of them
// together with the allocator do not fit the device.
const Neighbour* Self(const LogOom& oom, double own) {
  double listed = 0;
  for (const Neighbour& one : oom.neighbours) {
    listed += static_cast<double>(one.bytes);
  }
  if (FitsCard(oom, listed + own)) return nullptr;
  const Neighbour* self = nullptr;
  for (const Neighbour& one : oom.neighbours) {
    if (static_cast<double>(one.bytes) * kSlack < own) continue;
    if (self == nullptr || one.bytes < self->bytes) self = &one;
  }
  return self;
}

// Memory of other processes: what the log lists, or what is neither free nor
// this process's. Sums larger than the device are ignored.
void DeriveOthers(LogOom* oom) {
  if (oom->other || !oom->total || !oom->free) return;
  const double held = std::max(Of(oom->reserved), Of(oom->allocated));
  const bool known = Of(oom->process) * kSlack >= held &&
                     Of(oom->process) > 0 && FitsCard(*oom, Of(oom->process));
  double own = known ? Of(oom->process) : held;
  if ((!known && !oom->allocated) || !FitsCard(*oom, own)) return;
  double others = Of(oom->total) - Of(oom->free) - own;
  if (!oom->neighbours.empty()) {
    const Neighbour* self = known ? nullptr : Self(*oom, own);
    others = 0;
    for (const Neighbour& one : oom->neighbours) {
      if (&one != self) others += static_cast<double>(one.bytes);
    }
    if (self != nullptr) {
      own = static_cast<double>(self->bytes);
      oom->process = self->bytes;
      oom->driver_pid = self->pid;
    }
    if (!FitsCard(*oom, own + others)) return;
  }
  oom->other = static_cast<int64_t>(std::max(others, 0.0));
}

// Computes figures that the log does not have from others.
void Derive(LogOom* oom) {
  const auto& allocated = oom->allocated;
  // A log may contain sizes whose sum overflows.
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
  DeriveOthers(oom);
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
    AddBelow(&ooms.back(), line, figures);
    if (IsSameLine(ooms.back(), line)) AddNeighbour(&ooms.back(), figures);
  }
  RETURN_IF_ERROR(lines.statement().status());
  return ooms;
}

// Adds what the list of processes tells to the figures of the refusal's line:
// which one is this process, and what the others hold.
Status KeepProcesses(Store* store, const std::vector<LogOom>& ooms) {
  ASSIGN_OR_RETURN(
      Statement own,
      store->db().Prepare("UPDATE store_log_event SET pid = coalesce(pid, ?1), "
                          "figures = json_set(figures, '$.pid', ?1, "
                          "'$.process_bytes', ?3) WHERE id = ?2"));
  ASSIGN_OR_RETURN(
      Statement others,
      store->db().Prepare("UPDATE store_log_event SET figures = "
                          "json_set(figures, '$.other_bytes', ?1) WHERE source "
                          "= ?2 AND line = ?3 AND fact = 'oom' AND role IN "
                          "('cause', 'symptom')"));
  for (const LogOom& oom : ooms) {
    if (oom.driver_pid) {
      RETURN_IF_ERROR(own.Run(*oom.driver_pid, oom.first.id, oom.process));
    }
    if (oom.neighbours.empty() || oom.other.value_or(0) <= 0) continue;
    RETURN_IF_ERROR(others.Run(*oom.other, oom.first.source, oom.first.line));
  }
  return Status::Ok();
}

// Gives the refusal's line what stands below it; its own figures stay.
Status KeepBelow(Store* store, const std::vector<LogOom>& ooms) {
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare(
          "UPDATE store_log_event SET figures = json_patch(?1, figures) WHERE "
          "source = ?2 AND line = ?3 AND fact = 'oom' AND role IN ('cause', "
          "'symptom')"));
  for (const LogOom& oom : ooms) {
    if (oom.below.empty()) continue;
    RETURN_IF_ERROR(
        row.Run(oom.below.dump(), oom.first.source, oom.first.line));
  }
  return Status::Ok();
}

}  // namespace

Status CollectLogOoms(Store* store) {
  ASSIGN_OR_RETURN(std::vector<LogOom> ooms, ReadOoms(store));
  ASSIGN_OR_RETURN(auto table, InsertInto<LogOom>(&store->db(), "store_oom"));
  for (LogOom& oom : ooms) {
    Derive(&oom);
    if (!oom.pid) oom.pid = oom.driver_pid;
    RETURN_IF_ERROR(table.Add(oom));
  }
  RETURN_IF_ERROR(KeepBelow(store, ooms));
  return KeepProcesses(store, ooms);
}

}  // namespace inquest::facts
