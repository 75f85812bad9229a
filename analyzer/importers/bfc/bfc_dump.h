// SPDX-License-Identifier: Apache-2.0
// The contents of a memory dump of TensorFlow's BFC allocator, which it writes
// when TF_BFC_MEMORY_DUMP names a file and a request cannot be met: every chunk
// of its regions, by address within each region. Filled by ReadBfcDump, written
// as a trace by bfc_trace.cc.
//
// Source: tensorflow/core/protobuf/bfc_memory_map.proto; the writer is
// BFCAllocator::MaybeWriteMemoryMap (bfc_allocator.cc). Operations, steps,
// action counts and the history exist only in builds of TensorFlow with
// TENSORFLOW_MEM_DEBUG; the file never has the size of the refused request.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/importers/common/proto_stream.h"

namespace inquest::importers {

struct BfcChunk {
  uint64_t address = 0;
  int64_t bytes = 0;
  int64_t requested = 0;
  int64_t bin = 0;
  uint32_t op = 0;  // BfcDump::ops
  uint64_t freed_at = 0;
  uint64_t action = 0;
  uint64_t step = 0;
  bool in_use = false;
};

struct BfcBin {
  int64_t bin = 0;
  int64_t bytes_in_use = 0;
  int64_t bytes = 0;
  int64_t chunks_in_use = 0;
  int64_t chunks = 0;
};

struct BfcStatistics {
  bool known = false;
  int64_t num_allocs = 0;
  int64_t bytes_in_use = 0;
  int64_t peak_bytes_in_use = 0;
  int64_t largest_alloc_bytes = 0;
  double fragmentation = 0;
};

struct BfcDump {
  std::string allocator;
  std::vector<BfcBin> bins;
  std::vector<BfcChunk> chunks;
  std::vector<std::string> ops = {""};
  std::vector<std::pair<uint64_t, int64_t>> history;  // action, bytes in use
  BfcStatistics statistics;
  uint64_t damaged = 0;     // malformed nested messages
  uint64_t impossible = 0;  // impossible sizes and addresses
};

// With kUnreadable and kIncomplete the dump has what precedes the fault. At
// most `most` chunks, bins and history points are kept.
Status ReadBfcDump(ProtoStream* stream, size_t most, BfcDump* dump);

// The device in the allocator's name ("GPU_0_bfc"); -1: host memory.
int64_t DeviceOfBfc(const std::string& allocator);

Status WriteBfcTrace(const BfcDump& dump, int64_t time_ns,
                     const std::string& fault, const std::string& path);

}  // namespace inquest::importers
