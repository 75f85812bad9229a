#include "analyzer/facts/derive/oom.h"

#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "analyzer/facts/store/optional_column.h"
#include "base/json_text.h"

namespace inquest::facts {
namespace {

using nlohmann::json;

// How far below the first line its statistics may stand: an allocator's dump
// lists every chunk in between.
constexpr int64_t kReach = 50000;

constexpr std::array<const char*, 15> kFigures = {
    "requested_bytes",  "free_bytes",
    "total_bytes",      "live_bytes",
    "gap_bytes",        "largest_free_bytes",
    "other_bytes",      "allocated_bytes",
    "reserved_bytes",   "reserved_unallocated_bytes",
    "process_bytes",    "limit_bytes",
    "max_in_use_bytes", "num_allocs",
    "max_alloc_bytes"};

struct LogOom {
  int64_t event = 0;
  int64_t source = 0;
  int64_t line = 0;
  std::optional<int64_t> time, rank, pid, device, in_use;
  std::array<std::optional<int64_t>, kFigures.size()> figures;
  bool survived = false;
};

void Take(const json& figures, const char* name, std::optional<int64_t>* into) {
  const auto found = figures.find(name);
  if (*into || found == figures.end() || !found->is_number()) return;
  *into = found->get<int64_t>();
}

// Figures already known stay: the line nearest to the refusal is the best.
void Complete(LogOom* oom, const json& figures) {
  for (size_t i = 0; i < kFigures.size(); ++i) {
    Take(figures, kFigures[i], &oom->figures[i]);
  }
  Take(figures, "in_use_bytes", &oom->in_use);
  Take(figures, "device", &oom->device);
}

bool Belongs(const LogOom& oom, const Statement& row) {
  if (row.Int(1) != oom.source || row.Int(2) - oom.line > kReach) return false;
  const auto rank = Column(row, 4);
  return !rank || !oom.rank || *rank == *oom.rank;
}

LogOom Begin(const Statement& row) {
  LogOom oom;
  oom.event = row.Int(0);
  oom.source = row.Int(1);
  oom.line = row.Int(2);
  oom.time = Column(row, 3);
  oom.rank = Column(row, 4);
  oom.pid = Column(row, 5);
  oom.survived = row.Int(7) != 0;
  return oom;
}

// What follows from the others when the log does not say it.
void Derive(LogOom* oom) {
  auto& f = oom->figures;
  auto& reserved = f[8];
  auto& unallocated = f[9];
  const auto& allocated = f[7];
  // A log may claim more bytes than there are numbers.
  int64_t result = 0;
  if (!unallocated && reserved && allocated && *reserved >= *allocated &&
      !__builtin_sub_overflow(*reserved, *allocated, &result)) {
    unallocated = result;
  }
  if (!reserved && unallocated && allocated &&
      !__builtin_add_overflow(*allocated, *unallocated, &result)) {
    reserved = result;
  }
}

Expected<std::vector<LogOom>> ReadOoms(Store* store) {
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare(
          "SELECT id, source, line, time, rank, pid, role, survived, figures "
          "FROM store_log_event WHERE fact = 'oom' ORDER BY source, line, id"));
  std::vector<LogOom> ooms;
  while (row.Step()) {
    const json figures = ParseJson(row.Text(8));
    if (figures.is_discarded()) continue;
    const std::string_view role = row.Text(6);
    const bool begins = role == "cause" || role == "symptom";
    if (begins && (ooms.empty() || ooms.back().line != row.Int(2) ||
                   ooms.back().source != row.Int(1))) {
      ooms.push_back(Begin(row));
    }
    if (ooms.empty() || !Belongs(ooms.back(), row)) continue;
    Complete(&ooms.back(), figures);
  }
  RETURN_IF_ERROR(row.status());
  return ooms;
}

}  // namespace

Status CollectLogOoms(Store* store) {
  ASSIGN_OR_RETURN(std::vector<LogOom> ooms, ReadOoms(store));
  std::string sql =
      "INSERT INTO store_oom (source, evidence, time, rank, pid, device, "
      "in_use_bytes, survived";
  std::string values = ") VALUES ('log', 'log_event:' || ?, ?, ?, ?, ?, ?, ?";
  for (const char* figure : kFigures) {
    sql += std::string(", ") + figure;
    values += ", ?";
  }
  ASSIGN_OR_RETURN(Statement row, store->db().Prepare(sql + values + ")"));
  for (LogOom& oom : ooms) {
    Derive(&oom);
    row.Bind(0, oom.event);
    const std::optional<int64_t> numbers[] = {oom.time, oom.rank, oom.pid,
                                              oom.device, oom.in_use};
    for (int i = 0; i < 5; ++i) BindOptional(&row, 1 + i, numbers[i]);
    row.Bind(6, int64_t{oom.survived});
    for (size_t i = 0; i < kFigures.size(); ++i) {
      BindOptional(&row, 7 + static_cast<int>(i), oom.figures[i]);
    }
    RETURN_IF_ERROR(row.Run());
  }
  return Status::Ok();
}

}  // namespace inquest::facts
