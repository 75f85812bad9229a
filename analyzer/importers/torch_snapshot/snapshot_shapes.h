// SPDX-License-Identifier: Apache-2.0
// Recognizes the dicts of a memory snapshot by their keys and turns them into
// records as they are read: frames, stacks, blocks, segments, history entries,
// annotations. Dicts without such keys stay as they are. The sink of
// PickleReader for torch_snapshot.h; one thread.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>

#include "analyzer/importers/pickle/pickle_reader.h"
#include "analyzer/importers/torch_snapshot/torch_snapshot.h"

namespace inquest::importers {

// Texts with fixed numbers. Keys come first.
enum class SnapshotWord : uint32_t {
  kAction,
  kAddr,
  kAddress,
  kActiveSize,
  kAllocatedSize,
  kBlocks,
  kDevice,
  kDeviceFree,
  kDeviceTraces,
  kExternalAnnotations,
  kAllocatorSettings,
  kFilename,
  kFrames,
  kHistory,
  kIsExpandable,
  kLine,
  kName,
  kPoolId,
  kRealSize,
  kRequestedSize,
  kSegmentPoolId,
  kSegmentType,
  kSegments,
  kSize,
  kStage,
  kState,
  kStream,
  kTimeUs,
  kTotalSize,
  kKeys,  // how many
  kActiveAllocated = kKeys,
  kActivePendingFree,
  kActiveAwaitingFree,
  kActions,  // the first of PoolAction's names
};

class SnapshotShapes : public PickleSink {
 public:
  // Both must outlive it; `reader` has read nothing yet.
  SnapshotShapes(PickleReader* reader, TorchSnapshot* snapshot);

  std::optional<PickleValue> Dict(std::span<const PickleValue> pairs) override;
  std::optional<PickleValue> Sequence(
      std::span<const PickleValue> items) override;

  // Assembles the records from the pickle's root value once everything has been
  // read. An error means that it is not a snapshot.
  Status Finish(const PickleValue& root);

 private:
  enum Type : uint8_t {
    kFrame,
    kStack,
    kPool,
    kBlock,
    kOldBlock,
    kSegment,
    kEvent,
    kNote
  };
  using Fields = std::array<PickleValue, size_t(SnapshotWord::kKeys)>;

  bool Has(SnapshotWord key) const {
    return (present_ >> static_cast<uint32_t>(key) & 1) != 0;
  }
  const PickleValue& At(SnapshotWord key) const {
    return fields_[static_cast<size_t>(key)];
  }
  int64_t Number(SnapshotWord key, int64_t otherwise = 0) const;
  uint32_t StackAt(SnapshotWord key) const;
  uint16_t PoolAt(SnapshotWord key) const;
  PickleValue Frame();
  PickleValue Block();
  PickleValue OldBlock();
  PickleValue Segment();
  PickleValue Event();
  PickleValue Note();
  void LayBlocks(PoolSegment* segment, const PickleValue& list);
  std::optional<PickleValue> Stack(std::span<const PickleValue> items);
  std::optional<PickleValue> Pool(std::span<const PickleValue> items);
  void TakeHistories(const PickleValue& lists);
  void TakeSettings(const std::string& prefix, const PickleValue& dict,
                    int depth);
  PickleValue Find(const PickleValue& dict, SnapshotWord key) const;

  PickleReader* reader_;
  TorchSnapshot* snapshot_;
  Fields fields_;
  uint64_t present_ = 0;
  std::unordered_map<uint64_t, uint32_t> frame_index_;  // by their hash
  std::unordered_multimap<uint64_t, uint32_t> stack_index_;
  std::vector<PoolBlock> old_blocks_;
  std::vector<uint32_t> scratch_;
  Status spooled_;
};

}  // namespace inquest::importers
