// SPDX-License-Identifier: Apache-2.0
// Journal records of device memory and of the call stacks that requested it.
// Fields and their units are those of schema.sql; their order is part of the
// journal's format: append only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "trace/records/codec.h"
#include "trace/records/event.h"
#include "trace/records/record_kinds.h"

namespace inquest::trace {

// The most frequent record: with the commit word exactly one slot, copied into
// the journal byte by byte. Operation, kind and result share 24 bits: the
// operation's low four bits and the kind fill the last byte; `result_bits` has
// the result in its low 12 bits. Operations from 16 on have 0 in the low four
// bits and their number less 15 in the high four of `result_bits`: an older
// program then reads operation 0, which does nothing.
struct MemoryRecord {
  static constexpr RecordKind kKind = RecordKind::kMemory;
  int64_t time_ns = 0;
  uint64_t address = 0;
  uint64_t bytes = 0;
  uint64_t stream = 0;
  uint64_t pool = 0;
  uint32_t context = 0;
  uint32_t thread = 0;
  uint32_t stack = 0;
  uint16_t result_bits = 0;
  int8_t device = -1;
  uint8_t op_and_kind = 0;

  static constexpr int kMaxOp = 30;
  static constexpr int kMaxKind = 15;
  static constexpr int kMaxResult = 0xfff;  // larger ones are recorded as this
  constexpr void SetCall(MemoryOp op, MemoryKind kind, int64_t result) {
    const int number = static_cast<int>(op);
    const int low = number <= kLowOps ? number : 0;
    const int high = number <= kLowOps ? 0 : number - kLowOps;
    const bool fits = result >= 0 && result <= kMaxResult;
    const int kept = fits ? static_cast<int>(result) : kMaxResult;
    op_and_kind = static_cast<uint8_t>(low | static_cast<int>(kind) << 4);
    result_bits = static_cast<uint16_t>(kept | high << 12);
  }
  constexpr MemoryOp op() const {
    const int high = result_bits >> 12;
    return static_cast<MemoryOp>(high == 0 ? op_and_kind & kLowOps
                                           : high + kLowOps);
  }
  constexpr MemoryKind kind() const {
    return static_cast<MemoryKind>(op_and_kind >> 4);
  }
  constexpr int result() const { return result_bits & kMaxResult; }

 private:
  static constexpr int kLowOps = 15;
};
static_assert(sizeof(MemoryRecord) == kSlotSize - kCommitSize);
static_assert(std::is_standard_layout_v<MemoryRecord>);
static_assert(std::is_trivially_copyable_v<MemoryRecord>);
static_assert(static_cast<int>(kLastMemoryOp) <= MemoryRecord::kMaxOp);
static_assert(static_cast<int>(kLastMemoryKind) <= MemoryRecord::kMaxKind);

// What a framework's own allocator did inside the memory it holds; one slot,
// copied byte by byte.
struct FrameworkMemoryRecord {
  static constexpr RecordKind kKind = RecordKind::kFrameworkMemory;
  int64_t time_ns = 0;
  uint64_t address = 0;
  int64_t bytes = 0;                    // of the block, or the refused request
  int64_t allocated_bytes = kNoNumber;  // all its live blocks, after this
  int64_t reserved_bytes = kNoNumber;   // what it holds from the driver
  uint32_t thread = 0;
  uint32_t stack = 0;
  int16_t device = -1;
  FrameworkOp op = FrameworkOp::kAlloc;
  bool address_is_handle = false;  // the allocator's own, not the device's
  uint32_t unused = 0;
};
static_assert(sizeof(FrameworkMemoryRecord) == kSlotSize - kCommitSize);

inline constexpr size_t kMaxFrames = 32;
// Copied byte by byte; frames beyond `count` are neither set nor written.
struct StackRecord {
  static constexpr RecordKind kKind = RecordKind::kStack;
  uint32_t id = 0;
  uint32_t count = 0;
  uint64_t frames[kMaxFrames];
};

// A place in a Python program, recorded once; `id` counts from 1.
struct PythonFrameRecord {
  static constexpr RecordKind kKind = RecordKind::kPythonFrame;
  uint32_t id = 0;
  int32_t line = 0;
  std::string_view file, function;
  template <typename F>
  void Fields(F&& f) {
    f(id), f(line), f(file), f(function);
  }
};

// The Python half of the StackRecord with the same id. Copied byte by byte.
inline constexpr size_t kMaxPythonFrames = 64;
struct PythonStackRecord {
  static constexpr RecordKind kKind = RecordKind::kPythonStack;
  uint32_t stack = 0;
  uint32_t count = 0;
  uint32_t frames[kMaxPythonFrames];  // PythonFrameRecord::id, 0 unknown
};

}  // namespace inquest::trace
