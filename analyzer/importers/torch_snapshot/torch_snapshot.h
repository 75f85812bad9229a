// SPDX-License-Identifier: Apache-2.0
// The contents of a PyTorch memory snapshot (torch.cuda.memory._snapshot), in
// one form for files of all versions. Filled by SnapshotShapes while the pickle
// is read; written as a trace by snapshot_trace.h. Sizes are bytes.
//
// Sources: torch/csrc/cuda/memory_snapshot.cpp and Module.cpp of PyTorch 1.13
// to 2.9, and the pages on understanding CUDA memory usage. Files have no
// version; the keys show what they contain.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/importers/common/event_spool.h"

namespace inquest::importers {

// Larger sizes and addresses mean a damaged or malicious file: their sums must
// not overflow.
inline constexpr int64_t kMaxBlockBytes = int64_t{1} << 42;
inline constexpr uint64_t kMaxAddress = uint64_t{1} << 60;

struct SnapshotFrame {
  uint32_t file = 0;  // texts of the pickle
  uint32_t function = 0;
  int64_t line = 0;
};

enum class BlockState : uint8_t {
  kInactive,           // free inside its segment
  kActive,             // handed out
  kActivePendingFree,  // freed, but a stream may still use it
};

struct PoolBlock {
  uint64_t address = 0;
  int64_t bytes = 0;      // as rounded up
  int64_t requested = 0;  // 0 if the file does not say
  uint32_t stack = 0;
  BlockState state = BlockState::kInactive;
};

struct PoolSegment {
  int64_t device = 0;
  uint64_t address = 0;
  int64_t bytes = 0;
  int64_t allocated = 0;
  int64_t active = 0;
  int64_t requested = 0;
  uint64_t stream = 0;
  uint32_t type = 0;  // text: small or large
  uint32_t stack = 0;
  uint16_t pool = 0;
  bool expandable = false;
  uint32_t first_block = 0;  // in segment_blocks
  uint32_t blocks = 0;
};

struct SnapshotNote {  // by the user or by torch
  uint32_t name = 0;   // texts
  uint32_t stage = 0;  // START, END, …
  int64_t device = 0;
  int64_t time_us = 0;
};

struct TorchSnapshot {
  // Innermost first; stack 0 is the empty one.
  std::vector<uint32_t> stack_frames;
  std::vector<std::pair<uint32_t, uint32_t>> stacks = {{0, 0}};  // first, count
  std::vector<SnapshotFrame> frames;
  std::vector<std::pair<int64_t, int64_t>> pools = {{0, 0}};
  std::vector<PoolSegment> segments;
  std::vector<PoolBlock> blocks;
  std::vector<uint32_t> segment_blocks;
  std::vector<SnapshotNote> notes;
  std::vector<std::pair<std::string, std::string>> settings;
  EventSpool events;
  // For each device its ranges [from, to) of events.
  std::vector<std::vector<std::pair<uint64_t, uint64_t>>> histories;
  bool has_histories = false;
  uint64_t unknown_actions = 0;
  uint64_t impossible = 0;   // impossible sizes and addresses
  uint64_t lost_stacks = 0;  // beyond the limit on frames
};

}  // namespace inquest::importers
