// SPDX-License-Identifier: Apache-2.0
// Recognizes and imports raw memory timelines of PyTorch's profiler: a list of
// [time, action, bytes, category] of one device, as
// torch/profiler/_memory_profiler.py writes it. It has sizes but no addresses;
// a block's category takes the place of its allocation site.
#include <fmt/format.h>

#include <array>
#include <cctype>

#include "analyzer/importers/common/call_stacks.h"
#include "analyzer/importers/common/framework_rows.h"
#include "analyzer/importers/common/json_stream.h"
#include "analyzer/importers/common/trace_file.h"
#include "analyzer/importers/kinds.h"
#include "base/text.h"

namespace inquest::importers {
namespace {

constexpr std::string_view kTimeline = "memory-timeline";

// Values of Action, and names in the order of _CATEGORY_TO_INDEX.
constexpr int64_t kPreexisting = 1, kCreate = 2, kNewVersion = 3, kDestroy = 4;
constexpr std::array<std::string_view, 8> kCategories = {
    "parameter",  "optimizer state", "input",           "temporary",
    "activation", "gradient",        "autograd detail", "unknown"};

class TimelineReader : public JsonHandler {
 public:
  explicit TimelineReader(TraceFile* file)
      : file_(file), stacks_(file), rows_(file) {}

  void Begin(bool) override {
    ++depth_;
    fields_ = 0;
  }
  void End() override {
    if (depth_-- == 2) EndRow();
  }
  void Key(std::string_view) override {}
  void Text(std::string_view) override { ++fields_; }
  void Integer(int64_t value) override {
    if (depth_ == 2 && fields_ < row_.size()) row_[fields_] = value;
    ++fields_;
  }
  void Decimal(std::string_view) override { ++fields_; }
  void Null() override { ++fields_; }
  bool stopped() const override { return !failure_.ok(); }

  const Status& failure() const { return failure_; }
  int64_t rows() const { return count_; }
  Status Finish(const std::string& fault);

 private:
  void EndRow();
  void NewVersion(int64_t bytes, int64_t category);
  uint32_t StackOf(int64_t category);

  TraceFile* file_;
  CallStacks stacks_;
  FrameworkRows rows_;
  Status failure_;
  int depth_ = 0;
  size_t fields_ = 0;
  std::array<int64_t, 4> row_ = {};
  // The first row of a version change: the block before it.
  int64_t old_bytes_ = 0, old_category_ = 0;
  int64_t count_ = 0, malformed_ = 0, versions_ = 0;
  int64_t first_ns_ = 0, last_ns_ = 0;
};

uint32_t TimelineReader::StackOf(int64_t category) {
  const bool known =
      category >= 0 && category < static_cast<int64_t>(kCategories.size());
  const auto name = known ? kCategories[static_cast<size_t>(category)]
                          : std::string_view("unknown");
  return stacks_.Stack({stacks_.Frame("", 0, name)});
}

void TimelineReader::EndRow() {
  const auto [time, action, bytes, category] = row_;
  if (fields_ != 4 || action < kPreexisting || action > kDestroy ||
      bytes > SizedBlocks::kMaxBytes || bytes < -SizedBlocks::kMaxBytes) {
    ++malformed_;
    return;
  }
  ++count_;
  if (action != kPreexisting) {
    if (first_ns_ == 0) first_ns_ = time;
    last_ns_ = std::max(last_ns_, time);
  }
  FrameworkCall call;
  call.time_ns = time;
  call.device = 0;
  call.bytes = std::abs(bytes);
  call.tag = category;
  call.stack = StackOf(category);
  if (action == kPreexisting) {
    rows_.devices()[0].blocks.AddBefore(call.bytes, category, call.stack);
  } else if (action == kCreate) {
    failure_ = rows_.Allocate(call);
  } else if (action == kDestroy) {
    failure_ = rows_.Free(call);
  } else {
    NewVersion(bytes, category);
  }
}

// A version change has two rows: first the block with its old category, then
// with its new one.
void TimelineReader::NewVersion(int64_t bytes, int64_t category) {
  if (bytes <= 0) {
    old_bytes_ = -bytes;
    old_category_ = category;
    return;
  }
  ++versions_;
  if (bytes == old_bytes_) {
    rows_.devices()[0].blocks.Move(bytes, old_category_, category);
  }
  old_bytes_ = 0;
}

Status TimelineReader::Finish(const std::string& fault) {
  RETURN_IF_ERROR(failure_);
  rows_.Finish(first_ns_);
  const FrameworkRows::Device& device = rows_.devices()[0];
  file_->Coverage(
      kTimeline, first_ns_, last_ns_, "on",
      fmt::format("{} blocks of {} bytes existed before, {} created, {} "
                  "destroyed, {} new versions; devices, "
                  "addresses and call stacks are not recorded",
                  device.blocks.before().size(), device.blocks.before_bytes(),
                  device.allocations, device.frees, versions_));
  if (!fault.empty()) {
    file_->Coverage(kTimeline, last_ns_, last_ns_, "failed", fault);
  }
  file_->Loss("malformed rows", malformed_,
              "not four numbers, or with an invalid action or size");
  return file_->Finish(first_ns_, last_ns_, kTimeline);
}

// "[[-1, 1, 37888, 7], …": two brackets, then four numbers.
bool IsListOfRows(std::string_view text) {
  std::string shape;
  for (size_t i = 0; i < text.size() && shape.size() < 10; ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool digit = IsDigit(text[i]) || c == '-';
    if (std::isspace(c) != 0) continue;
    if (digit && !shape.empty() && shape.back() == '0') continue;
    shape += digit ? '0' : static_cast<char>(c);
  }
  return shape == "[[0,0,0,0]";
}

}  // namespace

bool KnowsMemoryTimeline(const FileStart& start) {
  return IsListOfRows(start.bytes);
}

Status ImportMemoryTimeline(const std::string& path,
                            const std::string& trace_path) {
  ASSIGN_OR_RETURN(ingest::LogInput input, OpenForeign(path));
  ASSIGN_OR_RETURN(TraceFile file, TraceFile::Create(trace_path));
  TimelineReader reader(&file);
  const JsonEnd end = ReadJson(input.bytes.get(), &reader);
  if (reader.failure().ok() && reader.rows() == 0) {
    return Unreadable(
        fmt::format("'{}' is not a raw memory timeline: it has no row of a "
                    "time, an action, "
                    "a size and a category",
                    path));
  }
  RETURN_IF_ERROR(reader.Finish(end.fault.message()));
  return end.fault.ok() ? Status::Ok() : Incomplete(path, end.fault);
}

}  // namespace inquest::importers
