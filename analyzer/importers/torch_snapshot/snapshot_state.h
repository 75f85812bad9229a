// SPDX-License-Identifier: Apache-2.0
// Writes all parts of a snapshot's trace except its history. For
// snapshot_trace.cc; failures are reported by TraceFile::Finish.
#pragma once

#include <string>
#include <vector>

#include "analyzer/importers/common/trace_file.h"
#include "analyzer/importers/pickle/pickle_objects.h"
#include "analyzer/importers/torch_snapshot/live_before.h"
#include "analyzer/importers/torch_snapshot/torch_snapshot.h"
#include "trace/store/ledger.h"

namespace inquest::importers {

class SnapshotState {
 public:
  SnapshotState(const TorchSnapshot& snapshot, const PickleTexts& texts,
                TraceFile* file)
      : snapshot_(snapshot), texts_(texts), file_(file) {}

  // By device number.
  void WriteLiveBefore(const std::vector<LiveBefore>& all, int64_t time_ns);
  // The Python frames of all stacks; native frames need addresses in a trace,
  // which the file does not have.
  void WriteStacks();
  void WritePool();
  void WriteSteps();
  void WriteSettings();
  void WriteCoverage(const std::vector<LiveBefore>& all, int64_t first_ns,
                     int64_t last_ns, const std::string& fault);

 private:
  void WriteBlock(int64_t device, trace::Layer layer, uint64_t address,
                  int64_t bytes, uint32_t stack, trace::MemoryKind kind);
  void WriteSites(const LiveBefore& before, int64_t device);
  struct Extent {
    uint64_t lowest = UINT64_MAX;
    uint64_t highest = 0;
    int64_t bytes = 0;
  };
  void Widen(Extent* extent, uint64_t address, int64_t bytes);
  void WriteHeap(int64_t device, trace::Layer layer, const Extent& extent);
  void WriteSegment(const PoolSegment& segment, int64_t id);
  std::string HistoryNote(const LiveBefore& before) const;

  const TorchSnapshot& snapshot_;
  const PickleTexts& texts_;
  TraceFile* file_;
  int64_t time_ns_ = 0;
  int64_t sites_ = 0;
  int64_t pool_blocks_ = 0;
};

}  // namespace inquest::importers
