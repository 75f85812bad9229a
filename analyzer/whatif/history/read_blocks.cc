// SPDX-License-Identifier: Apache-2.0
// Reads a history from framework_block, the blocks that the collector saw
// inside a framework: all blocks live at the end, and of the others the last to
// be freed. If some are missing, the history begins with the first recorded
// free, because everything live at that moment is known.
#include <algorithm>

#include "analyzer/memory/steps/steps.h"
#include "analyzer/whatif/history/trace_reader.h"
#include "analyzer/whatif/models/driver_segments.h"

namespace inquest::whatif {
namespace {

struct BlockRow {
  int64_t made = 0;
  int64_t freed = INT64_MAX;
  int64_t bytes = 0;
  uint64_t address = 0;
  int64_t stack = 0;
  int64_t reserved = -1;
};

struct Moment {
  // In the order in which simultaneous events take effect.
  enum class What : uint8_t {
    kStepEnd,
    kFree,
    kGive,
    kTake,
    kAllocate,
    kRefusal
  };
  int64_t time = 0;
  What what = What::kFree;
  size_t index = 0;
};

struct RefusalRow {
  int64_t time = 0;
  int64_t bytes = 0;
  std::optional<int64_t> reserved;
};

class DeviceBlocks {
 public:
  DeviceBlocks(TraceReader* reader, int device)
      : reader_(reader), device_(device) {}

  Status Read() {
    RETURN_IF_ERROR(ReadBlocks());
    RETURN_IF_ERROR(ReadRefusals());
    RETURN_IF_ERROR(CountFrees());
    RETURN_IF_ERROR(ReadSteps());
    FindBeginning();
    RETURN_IF_ERROR(ReadSegments());
    Replay();
    return Status::Ok();
  }

 private:
  Status ReadBlocks();
  Status ReadRefusals();
  Status CountFrees();
  Status ReadSteps();
  void FindBeginning();
  Status ReadSegments();
  std::vector<Moment> Moments() const;
  void Replay();
  void ReplayBefore(HistoryBuilder* builder) const;
  void Replay(const Moment& moment, HistoryBuilder* builder);
  Expected<Statement> Select(const std::string& columns,
                             const std::string& table) {
    ASSIGN_OR_RETURN(Statement row,
                     reader_->db().Prepare("SELECT " + columns + " FROM " +
                                           reader_->prefix() + table));
    row.BindAll(device_);
    return row;
  }

  TraceReader* reader_;
  int device_;
  std::vector<BlockRow> blocks_;
  std::vector<RefusalRow> refusals_;
  std::vector<int64_t> step_ends_;
  std::vector<DriverSegment> segments_;
  int64_t frees_ = 0;         // how many were recorded
  int64_t from_ = INT64_MIN;  // the history is complete from here on
};

Status DeviceBlocks::ReadBlocks() {
  ASSIGN_OR_RETURN(Statement row,
                   Select("time_ns, coalesce(freed_ns, 9223372036854775807), "
                          "bytes, address, stack, coalesce(reserved_bytes, -1)",
                          "framework_block WHERE device = ? ORDER BY id"));
  for (BlockRow one; row.Next(&one.made, &one.freed, &one.bytes, &one.address,
                              &one.stack, &one.reserved);) {
    blocks_.push_back(one);
  }
  return row.status();
}

Status DeviceBlocks::ReadRefusals() {
  if (!reader_->HasTable("framework_oom")) return Status::Ok();
  ASSIGN_OR_RETURN(Statement row,
                   Select("time_ns, requested_bytes, reserved_bytes",
                          "framework_oom WHERE device = ? ORDER BY id"));
  for (RefusalRow one; row.Next(&one.time, &one.bytes, &one.reserved);) {
    refusals_.push_back(one);
  }
  return row.status();
}

Status DeviceBlocks::CountFrees() {
  if (!reader_->HasTable("framework_memory")) return Status::Ok();
  ASSIGN_OR_RETURN(Statement row, Select("coalesce(sum(frees), 0)",
                                         "framework_memory WHERE device = ?"));
  row.Next(&frees_);
  return row.status();
}

// Only those that the program marked: these blocks are not in the order of
// events, in which a rhythm is found.
Status DeviceBlocks::ReadSteps() {
  memory::Steps steps({[] { return 0; }, [](int64_t) {}},
                      [](int64_t) { return std::vector<memory::Frame>(); });
  memory::KeptEvents events(&reader_->db(), reader_->prefix());
  RETURN_IF_ERROR(steps.Read(&reader_->db(), reader_->prefix(), {}, &events));
  step_ends_ = steps.Ends();
  return Status::Ok();
}

std::vector<Moment> DeviceBlocks::Moments() const {
  std::vector<Moment> moments;
  using What = Moment::What;
  for (size_t i = 0; i < blocks_.size(); ++i) {
    const BlockRow& block = blocks_[i];
    if (block.made >= from_)
      moments.push_back({block.made, What::kAllocate, i});
    if (block.freed != INT64_MAX)
      moments.push_back({block.freed, What::kFree, i});
  }
  for (size_t i = 0; i < segments_.size(); ++i) {
    const DriverSegment& one = segments_[i];
    if (one.from >= from_) moments.push_back({one.from, What::kTake, i});
    if (one.to != INT64_MAX && one.to >= from_) {
      moments.push_back({one.to, What::kGive, i});
    }
  }
  for (size_t i = 0; i < refusals_.size(); ++i) {
    if (refusals_[i].time < from_) continue;
    moments.push_back({refusals_[i].time, What::kRefusal, i});
  }
  for (size_t i = 0; i < step_ends_.size(); ++i) {
    if (step_ends_[i] < from_) continue;
    moments.push_back({step_ends_[i], What::kStepEnd, i});
  }
  std::stable_sort(
      moments.begin(), moments.end(), [](const Moment& a, const Moment& b) {
        return a.time != b.time ? a.time < b.time : a.what < b.what;
      });
  return moments;
}

// If frees are missing, the history begins with the first recorded one.
void DeviceBlocks::FindBeginning() {
  std::vector<int64_t> freed;
  for (const BlockRow& block : blocks_) {
    if (block.freed != INT64_MAX) freed.push_back(block.freed);
  }
  const auto known = static_cast<int64_t>(freed.size());
  if (known < frees_ && known > 0) {
    from_ = *std::min_element(freed.begin(), freed.end());
  }
}

Status DeviceBlocks::ReadSegments() {
  std::vector<SegmentUse> uses;
  for (const BlockRow& block : blocks_) {
    uses.push_back(
        {block.made, block.address, block.made >= from_ ? block.reserved : -1});
  }
  std::stable_sort(
      uses.begin(), uses.end(),
      [](const SegmentUse& a, const SegmentUse& b) { return a.time < b.time; });
  ASSIGN_OR_RETURN(
      segments_,
      ReadDriverSegments(&reader_->db(), reader_->prefix(),
                         reader_->HasTable("checkpoint"), device_, uses));
  return Status::Ok();
}

void DeviceBlocks::ReplayBefore(HistoryBuilder* builder) const {
  for (const DriverSegment& segment : segments_) {
    if (segment.from < from_ && segment.to >= from_) {
      builder->AddSegmentBefore(segment.address, segment.bytes, false);
    }
  }
  for (const BlockRow& block : blocks_) {
    if (block.made >= from_) continue;
    builder->AddBlockBefore(block.address, block.bytes, block.stack);
  }
}

void DeviceBlocks::Replay(const Moment& moment, HistoryBuilder* builder) {
  using What = Moment::What;
  switch (moment.what) {
    case What::kStepEnd:
      return builder->EndStep(static_cast<int64_t>(moment.index));
    case What::kTake:
      return builder->AddSegment(segments_[moment.index].address,
                                 segments_[moment.index].bytes);
    case What::kGive:
      return builder->RemoveSegment(segments_[moment.index].address);
    case What::kRefusal: {
      const RefusalRow& refusal = refusals_[moment.index];
      auto room = reader_->FreeAt(device_, refusal.time);
      if (!refusal.reserved) room.reset();
      if (room) room = *room + *refusal.reserved;
      return builder->Refuse(refusal.bytes, {}, room);
    }
    case What::kFree:
      reader_->Count();
      return builder->Free(blocks_[moment.index].address);
    case What::kAllocate: {
      const BlockRow& block = blocks_[moment.index];
      reader_->Count();
      return builder->Allocate(block.address, block.bytes, {}, block.stack);
    }
  }
}

void DeviceBlocks::Replay() {
  HistoryBuilder* builder = reader_->Builder(device_);
  if (builder == nullptr) return;
  ReplayBefore(builder);
  const auto first_step = reader_->first_step();
  bool begun = !first_step || *first_step < from_;
  for (const Moment& moment : Moments()) {
    if (!begun && moment.time >= *first_step) builder->BeginSteps();
    begun = begun || moment.time >= *first_step;
    Replay(moment, builder);
  }
}

}  // namespace

Status ReadBlocks(TraceReader* reader) {
  std::vector<int> devices;
  {
    ASSIGN_OR_RETURN(
        Statement row,
        reader->db().Prepare("SELECT DISTINCT device FROM " + reader->prefix() +
                             "framework_block ORDER BY 1"));
    for (int device = 0; row.Next(&device);) devices.push_back(device);
    RETURN_IF_ERROR(row.status());
  }
  for (const int device : devices) {
    RETURN_IF_ERROR(DeviceBlocks(reader, device).Read());
  }
  return Status::Ok();
}

}  // namespace inquest::whatif
