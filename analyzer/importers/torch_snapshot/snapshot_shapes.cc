// SPDX-License-Identifier: Apache-2.0
// Recognizes dicts and assembles the records; snapshot_records.cc makes each of
// them.
#include "analyzer/importers/torch_snapshot/snapshot_shapes.h"

#include <fmt/format.h>

namespace inquest::importers {
namespace {

using Kind = PickleValue::Kind;
using Word = SnapshotWord;

constexpr std::string_view kWords[] = {
    "action",
    "addr",
    "address",
    "active_size",
    "allocated_size",
    "blocks",
    "device",
    "device_free",
    "device_traces",
    "external_annotations",
    "allocator_settings",
    "filename",
    "frames",
    "history",
    "is_expandable",
    "line",
    "name",
    "pool_id",
    "real_size",
    "requested_size",
    "segment_pool_id",
    "segment_type",
    "segments",
    "size",
    "stage",
    "state",
    "stream",
    "time_us",
    "total_size",
    "active_allocated",
    "active_pending_free",
    "active_awaiting_free",
    "alloc",
    "free",
    "free_requested",
    "free_completed",
    "segment_alloc",
    "segment_free",
    "segment_map",
    "segment_unmap",
    "snapshot",
    "oom",
};
static_assert(std::size(kWords) ==
              static_cast<size_t>(Word::kActions) + kPoolActions - 1);

constexpr int kDeepestSetting = 3;

}  // namespace

SnapshotShapes::SnapshotShapes(PickleReader* reader, TorchSnapshot* snapshot)
    : reader_(reader), snapshot_(snapshot) {
  for (const std::string_view word : kWords) reader_->texts().Intern(word);
}

std::optional<PickleValue> SnapshotShapes::Dict(
    std::span<const PickleValue> pairs) {
  present_ = 0;
  for (size_t i = 0; i + 1 < pairs.size(); i += 2) {
    const PickleValue& key = pairs[i];
    if (!key.is(Kind::kText) || key.index >= fields_.size()) continue;
    fields_[key.index] = pairs[i + 1];
    present_ |= uint64_t{1} << key.index;
  }
  if (Has(Word::kAction)) return Event();
  if (Has(Word::kFilename) && Has(Word::kLine)) return Frame();
  if (Has(Word::kState) && Has(Word::kSize)) return Block();
  if (Has(Word::kTotalSize) && Has(Word::kBlocks)) return Segment();
  if (Has(Word::kAddr) && Has(Word::kRealSize)) return OldBlock();
  if (Has(Word::kTimeUs) && Has(Word::kName)) return Note();
  return {};
}

std::optional<PickleValue> SnapshotShapes::Sequence(
    std::span<const PickleValue> items) {
  if (items.empty()) return PickleValue::Record(kStack, 0);
  if (items.front().is_record(kFrame)) return Stack(items);
  if (items.size() == 2 && items.front().is(Kind::kInt)) return Pool(items);
  return {};
}

PickleValue SnapshotShapes::Find(const PickleValue& dict, Word key) const {
  const auto pairs = reader_->containers().Items(dict);
  for (size_t i = 0; dict.is(Kind::kDict) && i + 1 < pairs.size(); i += 2) {
    const bool found = pairs[i].is(Kind::kText) &&
                       pairs[i].index == static_cast<uint32_t>(key);
    if (found) return pairs[i + 1];
  }
  return {};
}

void SnapshotShapes::TakeHistories(const PickleValue& lists) {
  for (const PickleValue& list : reader_->containers().Items(lists)) {
    auto& history = snapshot_->histories.emplace_back();
    for (const PickleValue& run : reader_->containers().Items(list)) {
      if (!run.is_record(kEvent)) continue;
      history.emplace_back(run.index, run.index + uint64_t(run.number));
    }
  }
}

void SnapshotShapes::TakeSettings(const std::string& prefix,
                                  const PickleValue& dict, int depth) {
  const auto pairs = reader_->containers().Items(dict);
  for (size_t i = 0; i + 1 < pairs.size(); i += 2) {
    const PickleValue& value = pairs[i + 1];
    const std::string name =
        prefix + std::string(reader_->texts().Of(pairs[i]));
    std::string text;
    if (value.is(Kind::kDict) && depth < kDeepestSetting) {
      TakeSettings(name + ".", value, depth + 1);
      continue;
    }
    if (value.is(Kind::kText)) text = reader_->texts().Of(value);
    if (value.is(Kind::kBool)) text = value.number != 0 ? "True" : "False";
    if (value.is(Kind::kInt)) text = std::to_string(value.number);
    if (value.is(Kind::kFloat)) text = fmt::format("{}", value.real);
    snapshot_->settings.emplace_back(name, text);
  }
}

Status SnapshotShapes::Finish(const PickleValue& root) {
  RETURN_IF_ERROR(spooled_);
  const PickleValue histories = Find(root, Word::kDeviceTraces);
  snapshot_->has_histories = !histories.is(Kind::kNone);
  TakeHistories(histories);
  TakeSettings("", Find(root, Word::kAllocatorSettings), 0);
  const bool known = snapshot_->has_histories ||
                     !Find(root, Word::kSegments).is(Kind::kNone) ||
                     !snapshot_->segments.empty();
  if (known) return Status::Ok();
  return Unreadable(
             "it is a pickle, but not a memory snapshot of PyTorch: it has "
             "neither segments nor device_traces")
      .WithHint(
          "make one with torch.cuda.memory._dump_snapshot(\"FILE.pickle\")");
}

}  // namespace inquest::importers
