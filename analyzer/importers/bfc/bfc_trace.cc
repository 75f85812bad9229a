// SPDX-License-Identifier: Apache-2.0
// Writes a memory dump as a trace: regions and chunks as the pool's final
// state, and the chunks in use as allocations of their operations.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analyzer/importers/bfc/bfc_dump.h"
#include "analyzer/importers/common/call_stacks.h"
#include "analyzer/importers/common/trace_file.h"

namespace inquest::importers {
namespace {

using trace::MemoryKind;

constexpr std::string_view kBfcKind = "bfc-dump";

// Adjacent chunks.
struct Region {
  size_t first = 0;
  size_t end = 0;
  int64_t bytes = 0;
  int64_t in_use = 0;
  int64_t requested = 0;
};

std::vector<Region> RegionsOf(const std::vector<BfcChunk>& chunks) {
  std::vector<Region> regions;
  uint64_t next = 0;
  for (size_t i = 0; i < chunks.size(); ++i) {
    if (regions.empty() || chunks[i].address != next) {
      regions.push_back({i, i, 0, 0, 0});
    }
    Region& region = regions.back();
    region.end = i + 1;
    region.bytes += chunks[i].bytes;
    if (chunks[i].in_use) {
      region.in_use += chunks[i].bytes;
      region.requested += chunks[i].requested;
    }
    next = chunks[i].address + static_cast<uint64_t>(chunks[i].bytes);
  }
  return regions;
}

class BfcTrace {
 public:
  BfcTrace(const BfcDump& dump, int64_t time_ns, TraceFile* file)
      : dump_(dump),
        time_ns_(time_ns),
        device_(DeviceOfBfc(dump.allocator)),
        file_(file) {}

  Status Write(const std::string& fault) {
    WriteOps();
    const std::vector<Region> regions = RegionsOf(dump_.chunks);
    for (const Region& region : regions) RETURN_IF_ERROR(WriteRegion(region));
    WriteStatistics();
    WriteCoverage(regions.size(), fault);
    return file_->Finish(time_ns_, time_ns_, kBfcKind);
  }

 private:
  // An operation takes the place of a call stack.
  void WriteOps() {
    CallStacks table(file_);
    for (const std::string& op : dump_.ops) {
      stacks_.push_back(table.Stack({table.Frame("", 0, op)}));
    }
    table.Finish();
  }

  Status AddEvent(MemoryKind kind, uint64_t address, int64_t bytes,
                  uint32_t stack) {
    TraceEvent event;
    event.id = ++events_;
    event.time_ns = time_ns_;
    event.kind = kind;
    event.device = device_;
    event.address = address;
    event.bytes = bytes;
    event.stack = stack;
    return file_->Add(event);
  }

  Status WriteRegion(const Region& region) {
    const uint64_t address = dump_.chunks[region.first].address;
    file_->AddRow("pool_segment", ++segments_, device_, address, region.bytes,
                  region.in_use, region.in_use, region.requested, 0, "region",
                  dump_.allocator, 0, 0);
    RETURN_IF_ERROR(AddEvent(MemoryKind::kSegment, address, region.bytes, 0));
    for (size_t i = region.first; i < region.end; ++i) {
      RETURN_IF_ERROR(WriteChunk(dump_.chunks[i]));
    }
    return Status::Ok();
  }

  Status WriteChunk(const BfcChunk& chunk) {
    const uint32_t stack = stacks_[chunk.op];
    file_->AddRow("pool_block", ++blocks_, segments_, chunk.address,
                  chunk.bytes, chunk.requested, chunk.in_use ? "live" : "free",
                  stack);
    file_->AddRow("pool_chunk", blocks_, chunk.bin, dump_.ops[chunk.op],
                  chunk.step, chunk.action, chunk.freed_at);
    if (!chunk.in_use) return Status::Ok();
    return AddEvent(MemoryKind::kFramework, chunk.address, chunk.bytes, stack);
  }

  void WriteStatistics() {
    for (const BfcBin& one : dump_.bins) {
      file_->AddRow("pool_bin", dump_.allocator, one.bin, one.bytes,
                    one.bytes_in_use, one.chunks, one.chunks_in_use);
    }
    for (const auto& [action, bytes] : dump_.history) {
      file_->AddRow("pool_history", action, bytes);
    }
    const BfcStatistics& all = dump_.statistics;
    if (!all.known) return;
    file_->AddRow("pool_statistics", dump_.allocator, device_, time_ns_,
                  all.num_allocs, all.bytes_in_use, all.peak_bytes_in_use,
                  all.largest_alloc_bytes, all.fragmentation);
  }

  void WriteCoverage(size_t regions, const std::string& fault) {
    file_->Coverage(kBfcKind, time_ns_, time_ns_, "on",
                    fmt::format("{}: {} chunks in {} regions", dump_.allocator,
                                dump_.chunks.size(), regions));
    file_->Coverage(kBfcKind, time_ns_, time_ns_, "off",
                    "a dump shows one moment, that of a refused request; "
                    "its size and earlier requests are unknown");
    if (!fault.empty()) {
      file_->Coverage(kBfcKind, time_ns_, time_ns_, "failed", fault);
    }
    file_->Loss("impossible chunks", static_cast<int64_t>(dump_.impossible),
                "with sizes or addresses that no device has");
    file_->Loss("damaged messages", static_cast<int64_t>(dump_.damaged),
                "inside the dump");
  }

  const BfcDump& dump_;
  int64_t time_ns_;
  int64_t device_;
  TraceFile* file_;
  std::vector<uint32_t> stacks_;  // of each operation
  int64_t events_ = 0;
  int64_t segments_ = 0;
  int64_t blocks_ = 0;
};

}  // namespace

Status WriteBfcTrace(const BfcDump& dump, int64_t time_ns,
                     const std::string& fault, const std::string& path) {
  ASSIGN_OR_RETURN(TraceFile file, TraceFile::Create(path));
  return BfcTrace(dump, time_ns, &file).Write(fault);
}

}  // namespace inquest::importers
