// SPDX-License-Identifier: Apache-2.0
#include "analyzer/facts/derive/rank_places.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <map>
#include <string>

#include "base/rows.h"

namespace inquest::facts {
namespace {

struct PlaceRow {
  template <class V>
  void Columns(V& v) {
    v("rank", rank);
    v("host", host);
    v("pid", pid);
    v("device", device);
    v("pci", pci);
  }
  int64_t rank = 0;
  std::optional<std::string> host;
  std::optional<int64_t> pid;
  std::optional<int64_t> device;
  std::optional<std::string> pci;
};

// A communicator of a process, as NCCL names it.
struct Communicator {
  PlaceRow place;
  int64_t ranks = 0;  // in it
};

// NCCL prints the bus address as one hexadecimal number: domain, bus, device,
// function.
std::string PciOf(uint64_t bus) {
  return fmt::format("{:04x}:{:02x}:{:02x}", bus >> 20, bus >> 12 & 0xff,
                     bus >> 4 & 0xff);
}

std::optional<Communicator> ParseReady(const std::string& text) {
  static const RE2 kPattern(
      R"(comm 0x[0-9a-f]+ rank (\d+) n[Rr]anks (\d+) cudaDev (\d+)(?: nvmlDev \d+)? busId ([0-9a-f]{3,12})\b)");
  Communicator one;
  int64_t device = 0;
  uint64_t bus = 0;
  if (!RE2::PartialMatch(text, kPattern, &one.place.rank, &one.ranks, &device,
                         RE2::Hex(&bus))) {
    return {};
  }
  one.place.device = device;
  one.place.pci = PciOf(bus);
  return one;
}

using Places = std::map<int64_t, PlaceRow>;  // by rank

// A process is in several communicators; its rank in the largest one is that
// of the job.
Status AddFromNccl(Store* store, Places* places) {
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare(
          "SELECT text, host, pid FROM store_log_event WHERE "
          "signature IN ('nccl.net.ready', 'nccl.net.ended') ORDER BY id"));
  std::map<std::pair<std::string, int64_t>, Communicator> processes;
  while (row.Step()) {
    auto one = ParseReady(std::string(row.Text(0)));
    if (!one) continue;
    if (!row.IsNull(1)) one->place.host = std::string(row.Text(1));
    if (!row.IsNull(2)) one->place.pid = row.Int(2);
    Communicator& known =
        processes[{one->place.host.value_or(""), one->place.pid.value_or(0)}];
    if (one->ranks > known.ranks) known = *one;
  }
  int64_t ranks = 0;
  for (const auto& [key, one] : processes) ranks = std::max(ranks, one.ranks);
  bool several_jobs = false;
  for (const auto& [key, one] : processes) {
    if (one.ranks != ranks) continue;
    const auto [at, is_new] = places->try_emplace(one.place.rank, one.place);
    several_jobs |= !is_new && at->second.host != one.place.host;
  }
  // Each node with ranks of its own: no number says where it is.
  if (several_jobs) places->clear();
  return row.status();
}

Status AddFrom(Store* store, const std::string& select, Places* places) {
  ASSIGN_OR_RETURN(auto rows, SelectRows<PlaceRow>(&store->db(), select));
  for (PlaceRow row; rows.Next(&row);) {
    PlaceRow& known = places->try_emplace(row.rank, row).first->second;
    if (!known.host) known.host = row.host;
    if (!known.pid) known.pid = row.pid;
  }
  return rows.statement().status();
}

}  // namespace

Status FindRankPlaces(Store* store) {
  Places places;
  RETURN_IF_ERROR(AddFromNccl(store, &places));
  RETURN_IF_ERROR(AddFrom(store,
                          "FROM (SELECT rank, max(host) AS host, NULL AS pid, "
                          "NULL AS device, NULL AS pci FROM store_log_source "
                          "WHERE rank IS NOT NULL GROUP BY rank HAVING "
                          "count(DISTINCT host) = 1) ORDER BY rank",
                          &places));
  RETURN_IF_ERROR(AddFrom(store,
                          "FROM (SELECT rank, NULL AS host, pid, NULL AS "
                          "device, NULL AS pci FROM process WHERE rank IS NOT "
                          "NULL) ORDER BY rank",
                          &places));
  ASSIGN_OR_RETURN(auto insert,
                   InsertInto<PlaceRow>(&store->db(), "store_rank_place"));
  for (const auto& [rank, place] : places) RETURN_IF_ERROR(insert.Add(place));
  return Status::Ok();
}

}  // namespace inquest::facts
