// A memory dump as a trace: regions and chunks as the pool's state at the end,
// and the chunks in use as blocks that were handed out, by the operation that
// has them.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analyzer/importers/bfc/bfc_dump.h"
#include "analyzer/importers/common/stack_table.h"
#include "analyzer/importers/common/trace_file.h"

namespace inquest::importers {
namespace {

using trace::MemoryKind;

constexpr std::string_view kKind = "bfc-dump";

int64_t Signed(uint64_t value) {
  return static_cast<int64_t>(value);
}

// Chunks that follow each other without a gap.
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
    return file_->Finish(time_ns_, time_ns_, kKind);
  }

 private:
  // An operation stands where a call stack would.
  void WriteOps() {
    StackTable table;
    for (const std::string& op : dump_.ops) {
      const uint32_t frame = table.Frame("", 0, op);
      stacks_.push_back(op.empty() ? 0 : table.Stack(std::span(&frame, 1)));
    }
    table.Write(file_);
  }

  Status Enter(MemoryKind kind, uint64_t address, int64_t bytes,
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
    Statement* row = file_->Insert(
        "INSERT INTO pool_segment VALUES(?1,?2,?3,?4,?5,?5,?6,0,'region',?7,0,"
        "0)");
    row->Bind(0, ++segments_).Bind(1, device_).Bind(2, Signed(address));
    row->Bind(3, region.bytes).Bind(4, region.in_use);
    file_->Run(&row->Bind(5, region.requested).Bind(6, dump_.allocator));
    RETURN_IF_ERROR(Enter(MemoryKind::kSegment, address, region.bytes, 0));
    for (size_t i = region.first; i < region.end; ++i) {
      RETURN_IF_ERROR(WriteChunk(dump_.chunks[i]));
    }
    return Status::Ok();
  }

  Status WriteChunk(const BfcChunk& chunk) {
    const uint32_t stack = stacks_[chunk.op];
    Statement* block =
        file_->Insert("INSERT INTO pool_block VALUES(?,?,?,?,?,?,?)");
    block->Bind(0, ++blocks_).Bind(1, segments_);
    block->Bind(2, Signed(chunk.address)).Bind(3, chunk.bytes);
    block->Bind(4, chunk.requested).Bind(5, chunk.in_use ? "live" : "free");
    file_->Run(&block->Bind(6, int64_t{stack}));
    Statement* row =
        file_->Insert("INSERT INTO pool_chunk VALUES(?,?,?,?,?,?)");
    row->Bind(0, blocks_).Bind(1, chunk.bin).Bind(2, dump_.ops[chunk.op]);
    row->Bind(3, Signed(chunk.step)).Bind(4, Signed(chunk.action));
    file_->Run(&row->Bind(5, Signed(chunk.freed_at)));
    if (!chunk.in_use) return Status::Ok();
    return Enter(MemoryKind::kFramework, chunk.address, chunk.bytes, stack);
  }

  void WriteStatistics() {
    Statement* bin =
        file_->Insert("INSERT OR REPLACE INTO pool_bin VALUES(?,?,?,?,?,?)");
    for (const BfcBin& one : dump_.bins) {
      bin->Bind(0, dump_.allocator).Bind(1, one.bin).Bind(2, one.bytes);
      bin->Bind(3, one.bytes_in_use).Bind(4, one.chunks);
      file_->Run(&bin->Bind(5, one.chunks_in_use));
    }
    Statement* point =
        file_->Insert("INSERT OR REPLACE INTO pool_history VALUES(?,?)");
    for (const auto& [action, bytes] : dump_.history) {
      file_->Run(&point->Bind(0, Signed(action)).Bind(1, bytes));
    }
    const BfcStatistics& all = dump_.statistics;
    if (!all.told) return;
    Statement* row = file_->Insert(
        "INSERT OR REPLACE INTO pool_statistics VALUES(?,?,?,?,?,?,?,?)");
    row->Bind(0, dump_.allocator).Bind(1, device_).Bind(2, time_ns_);
    row->Bind(3, all.num_allocs).Bind(4, all.bytes_in_use);
    row->Bind(5, all.peak_bytes_in_use).Bind(6, all.largest_alloc_bytes);
    file_->Run(&row->Bind(7, all.fragmentation));
  }

  void WriteCoverage(size_t regions, const std::string& fault) {
    file_->Coverage(kKind, time_ns_, time_ns_, "on",
                    fmt::format("{}: {} chunks in {} regions", dump_.allocator,
                                dump_.chunks.size(), regions));
    file_->Coverage(kKind, time_ns_, time_ns_, "off",
                    "a dump is one moment, that of a request which could not "
                    "be met; its size and what came before are unknown");
    if (!fault.empty()) {
      file_->Coverage(kKind, time_ns_, time_ns_, "failed", fault);
    }
    file_->Loss("senseless chunks", static_cast<int64_t>(dump_.senseless),
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
