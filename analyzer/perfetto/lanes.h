// SPDX-License-Identifier: Apache-2.0
// Slices of one track must nest, but blocks of memory live as they like. So
// each live block has a lane, a track of its own for that time; lanes have one
// name, and Perfetto draws them together. The lowest free lane is taken, so
// that there are as few as possible.
#pragma once

#include <functional>
#include <queue>
#include <string>
#include <vector>

#include "analyzer/perfetto/track_writer.h"

namespace inquest::perfetto {

class Lanes {
 public:
  // `most`: lanes at once.
  Lanes(TrackWriter* writer, Track parent, std::string name, Row row,
        size_t most)
      : writer_(writer),
        parent_(parent),
        name_(std::move(name)),
        row_(row),
        most_(most) {}

  // 0: all are taken.
  Track Take() {
    if (!free_.empty()) {
      const Track lowest = free_.top();
      free_.pop();
      return lowest;
    }
    if (made_ >= most_) return 0;
    ++made_;
    return writer_->AddTrack(parent_, name_, row_);
  }
  void GiveBack(Track lane) { free_.push(lane); }

 private:
  TrackWriter* writer_;
  Track parent_;
  std::string name_;
  Row row_;
  size_t most_;
  size_t made_ = 0;
  std::priority_queue<Track, std::vector<Track>, std::greater<>> free_;
};

}  // namespace inquest::perfetto
