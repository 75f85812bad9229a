// SPDX-License-Identifier: Apache-2.0
#include "analyzer/facts/derive/native_stacks.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "analyzer/facts/derive/native_place.h"
#include "analyzer/facts/store/log_rows.h"
#include "base/rows.h"

namespace inquest::facts {
namespace {

// Maximum lines from one frame to the next: their sources, lines of others.
constexpr int64_t kGapOfStack = 4;
constexpr size_t kMostOfStack = 512;  // of one stack that are looked at

class Stacks {
 public:
  explicit Stacks(Statement keep) : keep_(std::move(keep)) {}

  Status Add(const NativeFrame& frame) {
    if (!Continues(frame)) RETURN_IF_ERROR(Finish());
    if (frames_.size() < kMostOfStack) frames_.push_back(frame);
    last_ = frame;
    return Status::Ok();
  }

  Status Finish() {
    if (frames_.empty()) return Status::Ok();
    const NativeFrame first = frames_.front();
    const int64_t last_line = last_->line;
    // backward-cpp prints the innermost last, and numbers it 0.
    const bool downward =
        first.depth && last_->depth && *first.depth > *last_->depth;
    if (downward) std::ranges::reverse(frames_);
    const auto place = PlaceOfNative(frames_);
    frames_.clear();
    if (!place) return Status::Ok();
    return keep_.Run(first.source, first.line, last_line, first.rank, *place);
  }

 private:
  bool Continues(const NativeFrame& frame) const {
    if (frames_.empty() || last_->source != frame.source ||
        last_->rank != frame.rank || frame.line > last_->line + kGapOfStack) {
      return false;
    }
    // Another thread's stack begins at 0 again.
    return !frame.depth || !last_->depth || *frame.depth != 0 ||
           *last_->depth == 1;
  }

  Statement keep_;
  std::vector<NativeFrame> frames_;
  std::optional<NativeFrame> last_;
};

}  // namespace

Status CollectNativeStacks(Store* store) {
  ASSIGN_OR_RETURN(auto frames,
                   SelectRows<NativeFrame>(&store->db(),
                                           "FROM store_log_native_frame "
                                           "ORDER BY source, rank, line"));
  ASSIGN_OR_RETURN(Statement keep,
                   store->db().Prepare("INSERT INTO store_native_stack VALUES "
                                       "(?, ?, ?, ?, ?)"));
  Stacks stacks(std::move(keep));
  for (NativeFrame frame; frames.Next(&frame);) {
    RETURN_IF_ERROR(stacks.Add(frame));
  }
  RETURN_IF_ERROR(frames.statement().status());
  return stacks.Finish();
}

}  // namespace inquest::facts
