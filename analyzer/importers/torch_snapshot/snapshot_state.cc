// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/torch_snapshot/snapshot_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "trace/store/ledger.h"

namespace inquest::importers {
namespace {

using trace::Layer;
using trace::MemoryKind;

// Python code without a file has names like <string> and <frozen …>.
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

void SnapshotState::WriteBlock(int64_t device, Layer layer, uint64_t address,
                               int64_t bytes, uint32_t stack, MemoryKind kind) {
  file_->AddRow("checkpoint_block", device, layer, address, bytes, 0, time_ns_,
                stack, 0, kind);
}

void SnapshotState::Widen(Extent* extent, uint64_t address, int64_t bytes) {
  extent->lowest = std::min(extent->lowest, address);
  extent->highest =
      std::max(extent->highest, address + static_cast<uint64_t>(bytes));
  extent->bytes += bytes;
}

// These blocks were not allocated in this trace, so both counts are 0.
void SnapshotState::WriteHeap(int64_t device, Layer layer,
                              const Extent& extent) {
  file_->AddRow("checkpoint_heap", device, layer, extent.lowest, extent.highest,
                extent.bytes, extent.bytes, time_ns_, 0, 0, 0, 0);
}

void SnapshotState::WriteSites(const LiveBefore& before, int64_t device) {
  std::map<uint32_t, std::pair<int64_t, int64_t>> sites;
  for (const PoolBlock& block : before.blocks) {
    auto& [count, bytes] = sites[block.stack];
    ++count;
    bytes += block.requested;
  }
  for (const auto& [stack, sum] : sites) {
    file_->AddRow("checkpoint_site", ++sites_, stack, device, sum.first, 0, 0,
                  sum.second, sum.second, sum.second);
  }
}

void SnapshotState::WriteLiveBefore(const std::vector<LiveBefore>& all,
                                    int64_t time_ns) {
  time_ns_ = time_ns;
  file_->AddRow("checkpoint", kCheckpointEvent, time_ns, 0, -1, 0, 0, 0, 0, 0,
                0, 0);
  for (size_t i = 0; i < all.size(); ++i) {
    const auto device = static_cast<int64_t>(i);
    Extent ranges;
    for (const AddressRange& range : all[i].ranges) {
      WriteBlock(device, Layer::kDevice, range.address, range.bytes, 0,
                 range.tag == kMappedPart ? MemoryKind::kMapped
                                          : MemoryKind::kSegment);
      Widen(&ranges, range.address, range.bytes);
    }
    Extent blocks;
    for (const PoolBlock& block : all[i].blocks) {
      WriteBlock(device, Layer::kFramework, block.address, block.requested,
                 block.stack, MemoryKind::kFramework);
      Widen(&blocks, block.address, block.requested);
    }
    WriteHeap(device, Layer::kDevice, ranges);
    WriteHeap(device, Layer::kFramework, blocks);
    WriteSites(all[i], device);
    file_->AddRow("checkpoint_device", device, 0, ranges.bytes, time_ns);
  }
}

// Of the native frames those count that Python called last; the others are its
// interpreter.
void SnapshotState::WriteStacks() {
  std::vector<bool> python(snapshot_.frames.size());
  for (size_t i = 0; i < snapshot_.frames.size(); ++i) {
    const SnapshotFrame& one = snapshot_.frames[i];
    python[i] = IsPython(texts_.At(one.file));
    if (python[i]) {
      file_->AddRow("python_frame", i + 1, texts_.At(one.file), one.line,
                    texts_.At(one.function));
    } else {
      file_->AddRow("native_frame", i + 1, texts_.At(one.function));
    }
  }
  for (size_t i = 1; i < snapshot_.stacks.size(); ++i) {
    const auto [first, count] = snapshot_.stacks[i];
    file_->AddRow("stack", i, Blob{""});
    int64_t depth = 0, native_depth = 0;
    for (uint32_t j = first; j < first + count; ++j) {
      const uint32_t index = snapshot_.stack_frames[j];
      if (python[index]) {
        file_->AddRow("python_stack", i, depth++, int64_t{index} + 1);
      } else if (depth == 0) {
        file_->AddRow("native_stack", i, native_depth++, int64_t{index} + 1);
      }
    }
  }
}

void SnapshotState::WriteSegment(const PoolSegment& segment, int64_t id) {
  const auto& [owner, number] = snapshot_.pools[segment.pool];
  file_->AddRow("pool_segment", id, segment.device, segment.address,
                segment.bytes, segment.allocated, segment.active,
                segment.requested, segment.stream, texts_.At(segment.type),
                fmt::format("{}.{}", owner, number), segment.expandable,
                segment.stack);
}

void SnapshotState::WritePool() {
  int64_t id = 0;
  for (const PoolSegment& segment : snapshot_.segments) {
    WriteSegment(segment, ++id);
    for (uint32_t i = 0; i < segment.blocks; ++i) {
      const PoolBlock& block =
          snapshot_.blocks[snapshot_.segment_blocks[segment.first_block + i]];
      file_->AddRow("pool_block", ++pool_blocks_, id, block.address,
                    block.bytes, block.requested, StateOf(block), block.stack);
    }
  }
}

void SnapshotState::WriteSteps() {
  std::map<std::pair<uint32_t, int64_t>, int64_t> open;
  const auto write = [&](uint32_t name, int64_t begin_us, int64_t end_us) {
    std::optional<int64_t> end_ns;
    if (end_us != 0) end_ns = end_us * 1000;
    file_->AddRow("step", nullptr, texts_.At(name), begin_us * 1000, end_ns, 0);
  };
  for (const SnapshotNote& note : snapshot_.notes) {
    const std::string_view stage = texts_.At(note.stage);
    const auto key = std::pair(note.name, note.device);
    const auto begun = open.find(key);
    if (stage == "START") {
      open[key] = note.time_us;
    } else if (stage == "END" && begun != open.end()) {
      write(note.name, begun->second, note.time_us);
      open.erase(begun);
    } else {
      write(note.name, note.time_us, note.time_us);
    }
  }
  for (const auto& [key, begin] : open) write(key.first, begin, 0);
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
                            "entry, known from the state at the end and from "
                            "their frees; earlier requests are unknown",
                            before.blocks.size(), bytes));
    }
    if (before.unmatched > 0) {
      file_->Coverage(kSource, last_ns, last_ns, "failed",
                      gpu + fmt::format("the history ends with {} live blocks "
                                        "that are not in the state at the end",
                                        before.unmatched));
    }
  }
  if (!fault.empty()) {
    file_->Coverage(kSource, last_ns, last_ns, "failed", fault);
  }
  file_->Loss("unknown entries",
              static_cast<int64_t>(snapshot_.unknown_actions),
              "with an action that this program does not know");
  file_->Loss("impossible entries", static_cast<int64_t>(snapshot_.impossible),
              "with sizes or addresses that no device has");
  file_->Loss("stacks", static_cast<int64_t>(snapshot_.lost_stacks),
              "more of them than a snapshot holds");
}

}  // namespace inquest::importers
