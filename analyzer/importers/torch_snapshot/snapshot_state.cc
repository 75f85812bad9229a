#include "analyzer/importers/torch_snapshot/snapshot_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "trace/store/ledger.h"

namespace inquest::importers {
namespace {

using trace::Layer;
using trace::MemoryKind;

int64_t Signed(uint64_t value) {
  return static_cast<int64_t>(value);
}

// Code that Python made of no file bears names as <string> and <frozen …>.
bool IsPython(std::string_view file) {
  return file.ends_with(".py") || file.starts_with('<');
}

std::string_view StateOf(const PoolBlock& block) {
  switch (block.state) {
    case BlockState::kActive:
      return "live";
    case BlockState::kActivePendingFree:
      return "pending";
    case BlockState::kInactive:
      break;
  }
  return "free";
}

}  // namespace

void SnapshotState::WriteBlock(int64_t device, int64_t layer, uint64_t address,
                               int64_t bytes, uint32_t stack, MemoryKind kind) {
  Statement* row = file_->Insert(
      "INSERT OR REPLACE INTO checkpoint_block VALUES(?,?,?,?,0,?,?,0,?)");
  row->Bind(0, device).Bind(1, layer).Bind(2, Signed(address)).Bind(3, bytes);
  row->Bind(4, time_ns_).Bind(5, int64_t{stack});
  file_->Run(&row->Bind(6, static_cast<int64_t>(kind)));
}

void SnapshotState::Widen(Extent* extent, uint64_t address, int64_t bytes) {
  extent->lowest = std::min(extent->lowest, address);
  extent->highest =
      std::max(extent->highest, address + static_cast<uint64_t>(bytes));
  extent->bytes += bytes;
}

// What was live is no allocation of this trace, so that both counts are 0.
void SnapshotState::WriteHeap(int64_t device, int64_t layer,
                              const Extent& extent) {
  Statement* row = file_->Insert(
      "INSERT INTO checkpoint_heap VALUES(?,?,?,?,?5,?5,?6,0,0,0,0)");
  row->Bind(0, device).Bind(1, layer).Bind(2, Signed(extent.lowest));
  row->Bind(3, Signed(extent.highest)).Bind(4, extent.bytes);
  file_->Run(&row->Bind(5, time_ns_));
}

void SnapshotState::WriteSites(const LiveBefore& before, int64_t device) {
  std::map<uint32_t, std::pair<int64_t, int64_t>> sites;
  for (const PoolBlock& block : before.blocks) {
    auto& [count, bytes] = sites[block.stack];
    ++count;
    bytes += block.requested;
  }
  Statement* row = file_->Insert(
      "INSERT INTO checkpoint_site VALUES(?1,?2,?3,?4,0,0,?5,?5,?5)");
  for (const auto& [stack, sum] : sites) {
    row->Bind(0, ++sites_).Bind(1, int64_t{stack}).Bind(2, device);
    file_->Run(&row->Bind(3, sum.first).Bind(4, sum.second));
  }
}

void SnapshotState::WriteLiveBefore(const std::vector<LiveBefore>& all,
                                    int64_t time_ns) {
  time_ns_ = time_ns;
  Statement* head =
      file_->Insert("INSERT INTO checkpoint VALUES(?,?,0,-1,0,0,0,0,0,0,0)");
  file_->Run(&head->Bind(0, kCheckpointEvent).Bind(1, time_ns));
  constexpr auto kDevice = static_cast<int64_t>(Layer::kDevice);
  constexpr auto kPool = static_cast<int64_t>(Layer::kFramework);
  for (size_t i = 0; i < all.size(); ++i) {
    const auto device = static_cast<int64_t>(i);
    Extent ranges;
    for (const AddressRange& range : all[i].ranges) {
      WriteBlock(device, kDevice, range.address, range.bytes, 0,
                 range.tag == kMappedPart ? MemoryKind::kMapped
                                          : MemoryKind::kSegment);
      Widen(&ranges, range.address, range.bytes);
    }
    Extent blocks;
    for (const PoolBlock& block : all[i].blocks) {
      WriteBlock(device, kPool, block.address, block.requested, block.stack,
                 MemoryKind::kFramework);
      Widen(&blocks, block.address, block.requested);
    }
    WriteHeap(device, kDevice, ranges);
    WriteHeap(device, kPool, blocks);
    WriteSites(all[i], device);
    Statement* row =
        file_->Insert("INSERT INTO checkpoint_device VALUES(?,0,?,?)");
    file_->Run(&row->Bind(0, device).Bind(1, ranges.bytes).Bind(2, time_ns));
  }
}

void SnapshotState::WriteStacks() {
  Statement* frame =
      file_->Insert("INSERT OR IGNORE INTO python_frame VALUES(?,?,?,?)");
  std::vector<bool> python(snapshot_.frames.size());
  for (size_t i = 0; i < snapshot_.frames.size(); ++i) {
    const SnapshotFrame& one = snapshot_.frames[i];
    python[i] = IsPython(texts_.At(one.file));
    if (!python[i]) continue;
    frame->Bind(0, static_cast<int64_t>(i) + 1).Bind(1, texts_.At(one.file));
    file_->Run(&frame->Bind(2, one.line).Bind(3, texts_.At(one.function)));
  }
  Statement* stack = file_->Insert("INSERT INTO stack VALUES(?,zeroblob(0))");
  Statement* at = file_->Insert("INSERT INTO python_stack VALUES(?,?,?)");
  for (size_t i = 1; i < snapshot_.stacks.size(); ++i) {
    const auto [first, count] = snapshot_.stacks[i];
    const auto id = static_cast<int64_t>(i);
    file_->Run(&stack->Bind(0, id));
    int64_t depth = 0;
    for (uint32_t j = first; j < first + count; ++j) {
      const uint32_t index = snapshot_.stack_frames[j];
      if (!python[index]) continue;
      at->Bind(0, id).Bind(1, depth++);
      file_->Run(&at->Bind(2, int64_t{index} + 1));
    }
  }
}

void SnapshotState::WriteSegment(const PoolSegment& segment, int64_t id) {
  Statement* row =
      file_->Insert("INSERT INTO pool_segment VALUES(?,?,?,?,?,?,?,?,?,?,?,?)");
  const auto& [owner, number] = snapshot_.pools[segment.pool];
  row->Bind(0, id).Bind(1, segment.device).Bind(2, Signed(segment.address));
  row->Bind(3, segment.bytes).Bind(4, segment.allocated);
  row->Bind(5, segment.active).Bind(6, segment.requested);
  row->Bind(7, Signed(segment.stream)).Bind(8, texts_.At(segment.type));
  row->Bind(9, fmt::format("{}.{}", owner, number));
  row->Bind(10, int64_t{segment.expandable});
  file_->Run(&row->Bind(11, int64_t{segment.stack}));
}

void SnapshotState::WritePool() {
  Statement* row =
      file_->Insert("INSERT INTO pool_block VALUES(?,?,?,?,?,?,?)");
  int64_t id = 0;
  for (const PoolSegment& segment : snapshot_.segments) {
    WriteSegment(segment, ++id);
    for (uint32_t i = 0; i < segment.blocks; ++i) {
      const PoolBlock& block =
          snapshot_.blocks[snapshot_.segment_blocks[segment.first_block + i]];
      row->Bind(0, ++pool_blocks_).Bind(1, id).Bind(2, Signed(block.address));
      row->Bind(3, block.bytes).Bind(4, block.requested);
      file_->Run(&row->Bind(5, StateOf(block)).Bind(6, int64_t{block.stack}));
    }
  }
}

void SnapshotState::WriteSteps() {
  Statement* row = file_->Insert("INSERT INTO step VALUES(?,?,?,?,0)");
  std::map<std::pair<uint32_t, int64_t>, int64_t> open;
  const auto enter = [&](uint32_t name, int64_t begin_us, int64_t end_us) {
    row->Bind(1, texts_.At(name)).Bind(2, begin_us * 1000).BindNull(3);
    if (end_us != 0) row->Bind(3, end_us * 1000);
    row->BindNull(0);
    file_->Run(row);
  };
  for (const SnapshotNote& note : snapshot_.notes) {
    const std::string_view stage = texts_.At(note.stage);
    const auto key = std::pair(note.name, note.device);
    const auto begun = open.find(key);
    if (stage == "START") {
      open[key] = note.time_us;
    } else if (stage == "END" && begun != open.end()) {
      enter(note.name, begun->second, note.time_us);
      open.erase(begun);
    } else {
      enter(note.name, note.time_us, note.time_us);
    }
  }
  for (const auto& [key, begin] : open) enter(key.first, begin, 0);
}

void SnapshotState::WriteSettings() {
  for (const auto& [name, value] : snapshot_.settings) {
    const bool variable = name.starts_with("PYTORCH_");
    file_->Environment(variable ? name : "torch.allocator." + name, value);
  }
}

std::string SnapshotState::HistoryNote(const LiveBefore& before) const {
  static constexpr std::array<const char*, kPoolActions> kNames = {
      "alloc",         "free",         "free_requested", "free_completed",
      "segment_alloc", "segment_free", "segment_map",    "segment_unmap",
      "snapshot",      "oom",          "unknown"};
  std::string note;
  uint64_t total = 0;
  for (size_t i = 0; i < kPoolActions; ++i) {
    total += before.entries[i];
    if (before.entries[i] == 0) continue;
    note += fmt::format("{}{} {}", note.empty() ? ": " : ", ",
                        before.entries[i], kNames[i]);
  }
  return fmt::format("{} entries{}", total, note);
}

void SnapshotState::WriteCoverage(const std::vector<LiveBefore>& all,
                                  int64_t first_ns, int64_t last_ns,
                                  const std::string& fault) {
  constexpr std::string_view kSource = "torch-snapshot";
  for (size_t device = 0; device < all.size(); ++device) {
    const LiveBefore& before = all[device];
    const std::string gpu = fmt::format("GPU {}: ", device);
    file_->Coverage(kSource, first_ns, last_ns, "on",
                    gpu + "the history has " + HistoryNote(before));
    int64_t bytes = 0;
    for (const PoolBlock& block : before.blocks) bytes += block.requested;
    if (bytes > 0) {
      file_->Coverage(
          kSource, first_ns, first_ns, "off",
          gpu + fmt::format("the history begins in the middle of the run: {} "
                            "blocks of {} bytes were live before its first "
                            "entry, found from the state at the end and from "
                            "their frees; what came and went before is unknown",
                            before.blocks.size(), bytes));
    }
    if (before.astray > 0) {
      file_->Coverage(kSource, last_ns, last_ns, "failed",
                      gpu + fmt::format("the history leaves {} blocks live "
                                        "that the state at the end lacks",
                                        before.astray));
    }
  }
  if (!fault.empty()) {
    file_->Coverage(kSource, last_ns, last_ns, "failed", fault);
  }
  file_->Loss("unknown entries",
              static_cast<int64_t>(snapshot_.unknown_actions),
              "of an action that this program does not know");
  file_->Loss("senseless entries", static_cast<int64_t>(snapshot_.senseless),
              "with sizes or addresses that no device has");
  file_->Loss("stacks", static_cast<int64_t>(snapshot_.lost_stacks),
              "more of them than a snapshot holds");
}

}  // namespace inquest::importers
