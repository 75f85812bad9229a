// SPDX-License-Identifier: Apache-2.0
// How dicts and lists of a snapshot become records; see snapshot_shapes.h.
#include <algorithm>

#include "analyzer/importers/torch_snapshot/snapshot_shapes.h"

namespace inquest::importers {
namespace {

using Kind = PickleValue::Kind;
using Word = SnapshotWord;

constexpr size_t kMaxStackFrames = 64u << 20;  // of all stacks together
constexpr size_t kMaxPools = 1 << 16;

bool IsSize(int64_t bytes) {
  return bytes >= 0 && bytes <= kMaxBlockBytes;
}

bool IsPlace(uint64_t address, int64_t bytes) {
  return IsSize(bytes) && address <= kMaxAddress;
}

PoolAction ActionOf(const PickleValue& word) {
  constexpr auto kFirst = static_cast<uint32_t>(Word::kActions);
  const uint32_t action = word.index - kFirst;
  if (!word.is(Kind::kText) || word.index < kFirst ||
      action >= static_cast<uint32_t>(PoolAction::kUnknown)) {
    return PoolAction::kUnknown;
  }
  return static_cast<PoolAction>(action);
}

}  // namespace

int64_t SnapshotShapes::Number(Word key, int64_t otherwise) const {
  const bool number =
      Has(key) && (At(key).is(Kind::kInt) || At(key).is(Kind::kBool));
  return number ? At(key).number : otherwise;
}

uint32_t SnapshotShapes::StackAt(Word key) const {
  return Has(key) && At(key).is_record(kStack) ? At(key).index : 0;
}

uint16_t SnapshotShapes::PoolAt(Word key) const {
  const bool pool = Has(key) && At(key).is_record(kPool);
  return pool ? static_cast<uint16_t>(At(key).index) : uint16_t{0};
}

PickleValue SnapshotShapes::Frame() {
  const SnapshotFrame frame{At(Word::kFilename).index, At(Word::kName).index,
                            Number(Word::kLine)};
  constexpr uint32_t kMaxTexts = 1 << 20;
  constexpr int64_t kMaxLines = 1 << 24;
  const bool named = At(Word::kFilename).is(Kind::kText) && Has(Word::kName) &&
                     At(Word::kName).is(Kind::kText);
  const bool packs = frame.file < kMaxTexts && frame.function < kMaxTexts &&
                     frame.line >= 0 && frame.line < kMaxLines;
  // Values that do not fit are rare; they become one unnamed frame.
  if (!named || !packs) return PickleValue::Record(kFrame, UINT32_MAX);
  const uint64_t key = uint64_t{frame.file} << 44 |
                       uint64_t{frame.function} << 24 |
                       static_cast<uint64_t>(frame.line);
  const auto index = static_cast<uint32_t>(snapshot_->frames.size());
  const auto [found, is_new] = frame_index_.try_emplace(key, index);
  if (is_new) snapshot_->frames.push_back(frame);
  return PickleValue::Record(kFrame, found->second);
}

std::optional<PickleValue> SnapshotShapes::Stack(
    std::span<const PickleValue> items) {
  scratch_.clear();
  uint64_t hash = 0;
  for (const PickleValue& item : items) {
    if (!item.is_record(kFrame)) return {};
    for (int64_t i = 0; i < item.number; ++i) {  // equal records in a row
      const uint32_t frame = item.index + static_cast<uint32_t>(i);
      if (frame >= snapshot_->frames.size()) continue;
      scratch_.push_back(frame);
      hash = (hash ^ frame) * 0x9e3779b97f4a7c15u;
      hash ^= hash >> 32;
    }
  }
  auto& all = snapshot_->stack_frames;
  const auto [from, to] = stack_index_.equal_range(hash);
  for (auto known = from; known != to; ++known) {
    const auto [first, count] = snapshot_->stacks[known->second];
    if (std::equal(scratch_.begin(), scratch_.end(), all.begin() + first,
                   all.begin() + first + count)) {
      return PickleValue::Record(kStack, known->second);
    }
  }
  if (all.size() + scratch_.size() > kMaxStackFrames) {
    ++snapshot_->lost_stacks;
    return PickleValue::Record(kStack, 0);
  }
  const auto index = static_cast<uint32_t>(snapshot_->stacks.size());
  snapshot_->stacks.emplace_back(all.size(), scratch_.size());
  all.insert(all.end(), scratch_.begin(), scratch_.end());
  stack_index_.emplace(hash, index);
  return PickleValue::Record(kStack, index);
}

std::optional<PickleValue> SnapshotShapes::Pool(
    std::span<const PickleValue> items) {
  if (!items[1].is(Kind::kInt)) return {};
  auto& pools = snapshot_->pools;
  const std::pair<int64_t, int64_t> pool(items[0].number, items[1].number);
  const auto found = std::find(pools.begin(), pools.end(), pool);
  const auto index = static_cast<uint32_t>(found - pools.begin());
  if (index >= kMaxPools) return PickleValue::Record(kPool, 0);
  if (found == pools.end()) pools.push_back(pool);
  return PickleValue::Record(kPool, index);
}

// An element of a block's `history`, from PyTorch before 2.1; its block gets
// its fields.
PickleValue SnapshotShapes::OldBlock() {
  PoolBlock block;
  block.address = static_cast<uint64_t>(Number(Word::kAddr));
  block.requested = Number(Word::kRealSize);
  block.stack = StackAt(Word::kFrames);
  const auto index = static_cast<uint32_t>(old_blocks_.size());
  old_blocks_.push_back(block);
  return PickleValue::Record(kOldBlock, index);
}

PickleValue SnapshotShapes::Block() {
  PoolBlock block;
  const PickleValue& state = At(Word::kState);
  const auto word = static_cast<Word>(state.index);
  if (state.is(Kind::kText) && word == Word::kActiveAllocated) {
    block.state = BlockState::kActive;
  } else if (state.is(Kind::kText) && (word == Word::kActivePendingFree ||
                                       word == Word::kActiveAwaitingFree)) {
    block.state = BlockState::kActivePendingFree;
  }
  block.bytes = Number(Word::kSize);
  block.stack = StackAt(Word::kFrames);
  block.address = static_cast<uint64_t>(Number(Word::kAddress));
  const bool active = block.state != BlockState::kInactive;
  if (active) block.requested = block.bytes;
  const auto history = Has(Word::kHistory)
                           ? reader_->containers().Items(At(Word::kHistory))
                           : std::span<const PickleValue>();
  if (active && !history.empty() && history[0].is_record(kOldBlock)) {
    const PoolBlock& latest = old_blocks_[history[0].index];
    block.requested = latest.requested;
    block.stack = latest.stack;
  }
  block.requested = Number(Word::kRequestedSize, block.requested);
  if (Has(Word::kHistory)) reader_->containers().Release(At(Word::kHistory));
  const auto index = static_cast<uint32_t>(snapshot_->blocks.size());
  snapshot_->blocks.push_back(block);
  return PickleValue::Record(kBlock, index);
}

// Blocks fill their segment without gaps, so in old files, which have no block
// addresses, the preceding blocks give the address.
void SnapshotShapes::LayBlocks(PoolSegment* segment, const PickleValue& list) {
  segment->first_block =
      static_cast<uint32_t>(snapshot_->segment_blocks.size());
  uint64_t at = segment->address;
  for (const PickleValue& run : reader_->containers().Items(list)) {
    if (!run.is_record(kBlock)) continue;
    for (int64_t i = 0; i < run.number; ++i) {
      const uint32_t index = run.index + static_cast<uint32_t>(i);
      PoolBlock& block = snapshot_->blocks[index];
      if (block.address == 0) block.address = at;
      if (!IsPlace(block.address, block.bytes) || !IsSize(block.requested)) {
        ++snapshot_->impossible;
        continue;
      }
      at = block.address + static_cast<uint64_t>(block.bytes);
      snapshot_->segment_blocks.push_back(index);
      ++segment->blocks;
    }
  }
  reader_->containers().Release(list);
}

PickleValue SnapshotShapes::Segment() {
  PoolSegment segment;
  segment.device = std::clamp<int64_t>(Number(Word::kDevice), -1, 127);
  segment.address = static_cast<uint64_t>(Number(Word::kAddress));
  segment.bytes = Number(Word::kTotalSize);
  segment.allocated = Number(Word::kAllocatedSize);
  segment.active = Number(Word::kActiveSize);
  segment.requested = Number(Word::kRequestedSize);
  segment.stream = static_cast<uint64_t>(Number(Word::kStream));
  segment.stack = StackAt(Word::kFrames);
  segment.pool = PoolAt(Word::kSegmentPoolId);
  segment.expandable = Number(Word::kIsExpandable) != 0;
  if (Has(Word::kSegmentType)) segment.type = At(Word::kSegmentType).index;
  if (!IsPlace(segment.address, segment.bytes)) {
    ++snapshot_->impossible;
    segment.address = 0;
    segment.bytes = 0;
  }
  const PickleValue blocks = At(Word::kBlocks);
  LayBlocks(&segment, blocks);
  const auto index = static_cast<uint32_t>(snapshot_->segments.size());
  snapshot_->segments.push_back(segment);
  return PickleValue::Record(kSegment, index);
}

PickleValue SnapshotShapes::Event() {
  PoolEvent event;
  event.action = ActionOf(At(Word::kAction));
  event.address =
      static_cast<uint64_t>(Number(Word::kAddr, Number(Word::kDeviceFree)));
  event.bytes = Number(Word::kSize);
  event.time_us =
      std::clamp<int64_t>(Number(Word::kTimeUs), 0, INT64_MAX / 1000);
  event.stream = static_cast<uint64_t>(Number(Word::kStream));
  event.stack = StackAt(Word::kFrames);
  event.pool = PoolAt(Word::kPoolId);
  if (event.action == PoolAction::kUnknown) ++snapshot_->unknown_actions;
  // A snapshot mark has the size of the whole pool, not of a block.
  const bool sense = event.action == PoolAction::kSnapshot ||
                     IsPlace(event.address, event.bytes);
  if (!sense) {
    ++snapshot_->impossible;
    event.action = PoolAction::kUnknown;
  }
  const auto index = static_cast<uint32_t>(snapshot_->events.size());
  if (spooled_.ok()) spooled_ = snapshot_->events.Append(event);
  return PickleValue::Record(kEvent, index);
}

PickleValue SnapshotShapes::Note() {
  SnapshotNote note;
  if (At(Word::kName).is(Kind::kText)) note.name = At(Word::kName).index;
  if (Has(Word::kStage) && At(Word::kStage).is(Kind::kText)) {
    note.stage = At(Word::kStage).index;
  }
  note.device = Number(Word::kDevice);
  note.time_us =
      std::clamp<int64_t>(Number(Word::kTimeUs), 0, INT64_MAX / 1000);
  const auto index = static_cast<uint32_t>(snapshot_->notes.size());
  snapshot_->notes.push_back(note);
  return PickleValue::Record(kNote, index);
}

}  // namespace inquest::importers
