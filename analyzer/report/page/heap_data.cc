// SPDX-License-Identifier: Apache-2.0
// Heaps: at refused requests, at the peak, and as an imported snapshot has its
// pool. At a refusal the gaps are known; at the peak only the live blocks are.
#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "analyzer/report/json_values.h"
#include "analyzer/report/page/heap_reading.h"
#include "analyzer/report/page/page_data.h"
#include "analyzer/report/page/stack_sites.h"
#include "base/capped.h"
#include "base/rows.h"

namespace inquest::report {
namespace {

using nlohmann::json;

constexpr size_t kHeapsDrawn = 8;

Expected<std::set<uint64_t>> Blockers(const PageSource& source, int64_t oom) {
  ASSIGN_OR_RETURN(Statement row,
                   source.store->db().Prepare(
                       "SELECT address FROM oom_blocker WHERE oom = ? LIMIT "
                       "500"));
  row.BindAll(oom);
  std::set<uint64_t> addresses;
  for (uint64_t address = 0; row.Next(&address);) addresses.insert(address);
  RETURN_IF_ERROR(row.status());
  return addresses;
}

// The figures of a refusal; what is unknown is missing.
struct OomRow {
  int64_t oom = 0;
  std::optional<int64_t> process, device, time, requested, largest, free, gap;
  std::optional<int64_t> unused, blocking_blocks, blocking_bytes, missing;
  std::optional<std::string> reason;
  int64_t survived = 0;
  template <class V>
  void Columns(V& v) {
    v("oom", oom);
    v("process", process);
    v("device", device);
    v("time", time);
    v("requested_bytes", requested);
    v("largest_free_bytes", largest);
    v("free_bytes", free);
    v("gap_bytes", gap);
    v("unused_bytes", unused);
    v("blocking_blocks", blocking_blocks);
    v("blocking_bytes", blocking_bytes);
    v("missing_bytes", missing);
    v("reason", reason);
    v("survived", survived);
  }
};

json OomData(const OomRow& row, int64_t base) {
  json heap = {{"kind", "refusal"},
               {"oom", row.oom},
               {"process", OrNull(row.process)},
               {"device", OrNull(row.device)},
               {"requested_bytes", OrNull(row.requested)},
               {"largest_free_bytes", OrNull(row.largest)},
               {"free_bytes", OrNull(row.free)},
               {"gap_bytes", OrNull(row.gap)},
               {"unused_bytes", OrNull(row.unused)},
               {"missing_bytes", OrNull(row.missing)},
               {"blocking_blocks", OrNull(row.blocking_blocks)},
               {"blocking_bytes", OrNull(row.blocking_bytes)},
               {"survived", row.survived != 0}};
  if (row.reason) heap["reason"] = *row.reason;
  if (row.time) heap["at"] = SubtractCapped(*row.time, base);
  return heap;
}

// That of the verdict comes first where many devices refused; -2: none.
int64_t DeviceOfVerdict(const PageSource& source) {
  const findings::Diagnosis& diagnosis = *source.input->diagnosis;
  if (!diagnosis.verdict.finding) return -2;
  return diagnosis.findings[*diagnosis.verdict.finding].unit.device.value_or(
      -2);
}

Status AddRefusals(const PageSource& source, json* heaps) {
  ASSIGN_OR_RETURN(auto rows,
                   SelectRows<OomRow>(
                       &source.store->db(),
                       "FROM oom WHERE oom IN (SELECT DISTINCT oom FROM "
                       "heap_block) ORDER BY survived, coalesce(device, -1) "
                       "<> " +
                           std::to_string(DeviceOfVerdict(source)) +
                           ", time DESC LIMIT " + std::to_string(kHeapsDrawn)));
  for (OomRow row; rows.Next(&row);) {
    ASSIGN_OR_RETURN(const auto named, Blockers(source, row.oom));
    ASSIGN_OR_RETURN(
        const auto read,
        ReadHeap(source,
                 "SELECT address, bytes, state, site, age, op FROM "
                 "heap_block "
                 "WHERE oom = " +
                     std::to_string(row.oom) + " ORDER BY address",
                 row.largest, named));
    json heap = OomData(row, source.base);
    AddHeap(read, std::move(heap), heaps);
  }
  return rows.statement().status();
}

// Blocks of a framework's pool where they are known, else the driver's.
Status AddPeaks(const PageSource& source, json* heaps) {
  ASSIGN_OR_RETURN(
      Statement row,
      source.store->db().Prepare(
          "SELECT b.process, b.device, max(b.layer), u.peak_time, "
          "u.framework_peak_time FROM peak_block AS b LEFT JOIN device_usage "
          "AS u USING (process, device) GROUP BY b.process, b.device ORDER BY "
          "sum(b.bytes) DESC"));
  int64_t process = 0, device = 0;
  std::string layer;
  std::optional<int64_t> time, pool_time;
  while (heaps->size() < kHeapsDrawn &&
         row.Next(&process, &device, &layer, &time, &pool_time)) {
    const auto at = layer == "pool" ? pool_time : time;
    const std::string age =
        at ? std::to_string(*at) + " - time" : std::string("NULL");
    ASSIGN_OR_RETURN(
        const auto read,
        ReadHeap(
            source,
            "SELECT address, bytes, 'live', site, " + age +
                " FROM peak_block WHERE process = " + std::to_string(process) +
                " AND device = " + std::to_string(device) + " AND layer = '" +
                layer + "' ORDER BY address",
            {}, {}));
    json heap = {{"kind", "peak"},
                 {"process", process},
                 {"device", device},
                 {"layer", layer}};
    if (at) heap["at"] = SubtractCapped(*at, source.base);
    AddHeap(read, std::move(heap), heaps);
  }
  return row.status();
}

// Of blocks that were not live at the peak only the stack is known, as a number
// below 0.
Status NameSites(const PageSource& source, int64_t process, int64_t device,
                 std::vector<HeapCell>* cells) {
  ASSIGN_OR_RETURN(StackSites sites,
                   StackSites::Read(source.store, process, device));
  for (HeapCell& cell : *cells) {
    if (cell.site < 0) cell.site = sites.Of(-cell.site);
  }
  return Status::Ok();
}

Status AddPools(const PageSource& source, json* heaps) {
  ASSIGN_OR_RETURN(Statement row,
                   source.store->db().Prepare(
                       "SELECT process, device FROM pool_block GROUP BY 1, 2 "
                       "ORDER BY sum(bytes) DESC"));
  int64_t process = 0, device = 0;
  while (heaps->size() < kHeapsDrawn && row.Next(&process, &device)) {
    ASSIGN_OR_RETURN(
        auto read,
        ReadHeap(source,
                 "SELECT b.address, b.bytes, b.state, coalesce(max(p.site), "
                 "-b.stack), NULL, NULL FROM pool_block AS b LEFT JOIN "
                 "peak_block AS p ON p.process = b.process AND p.device = "
                 "b.device AND p.layer = 'pool' AND p.address = b.address AND "
                 "p.freed_time IS NULL WHERE b.process = " +
                     std::to_string(process) +
                     " AND b.device = " + std::to_string(device) +
                     " GROUP BY b.address ORDER BY b.address",
                 {}, {}));
    RETURN_IF_ERROR(NameSites(source, process, device, &read.cells));
    json heap = {{"kind", "pool"}, {"process", process}, {"device", device}};
    AddHeap(read, std::move(heap), heaps);
  }
  return row.status();
}

}  // namespace

Expected<json> HeapData(const PageSource& source) {
  json heaps = json::array();
  RETURN_IF_ERROR(AddRefusals(source, &heaps));
  RETURN_IF_ERROR(AddPools(source, &heaps));
  RETURN_IF_ERROR(AddPeaks(source, &heaps));
  return heaps;
}

}  // namespace inquest::report
