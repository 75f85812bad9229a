// SPDX-License-Identifier: Apache-2.0
#include "analyzer/memory/timeline/event_bins.h"

#include <algorithm>

#include "base/capped.h"

namespace inquest::memory {

void EventBins::Begin(int64_t event) {
  if (first_ < 0) first_ = event;
  event_ = event;
  size_t at = Index(event);
  if (at == at_ && !bins_.empty()) return;
  Close();
  for (; at >= kMost; at = Index(event)) Halve();
  at_ = at;
  if (bins_.size() <= at) bins_.resize(at + 1);
}

void EventBins::End(int64_t event, int64_t time, int64_t held) {
  Bin& bin = bins_[at_];
  if (bin.empty()) bin.begin = time;
  bin.end = time;
  bin.last_event = event;
  if (held <= bin.high) return;
  bin.high = held;
  bin.high_event = event;
  ++highs_;
}

EventBins::Group& EventBins::Of(size_t group) {
  if (groups_.size() <= group) groups_.resize(group + 1);
  return groups_[group];
}

void EventBins::AddRange(Steps* steps, size_t from, size_t to, int64_t bytes) {
  if (from >= to) return;
  (*steps)[from] = AddCapped((*steps)[from], bytes);
  (*steps)[to] = SubtractCapped((*steps)[to], bytes);
}

// Whether it was live in the open bin's highest moment is known when the bin
// closes: a higher one may come.
void EventBins::Free(size_t group, int64_t bytes, int64_t made) {
  Group& of = Of(group);
  const size_t from = Index(made);
  AddRange(&of.last, from, at_, bytes);
  AddRange(&of.high, from + (made > bins_[from].high_event ? 1 : 0), at_,
           bytes);
  const Bin& open = bins_[at_];
  if (open.empty() || made > open.high_event || open.high_event >= event_) {
    return;
  }
  if (of.of != highs_) of.freed = 0;
  of.of = highs_;
  of.freed = AddCapped(of.freed, bytes);
}

void EventBins::Close() {
  for (Group& group : groups_) {
    if (group.of == highs_) AddRange(&group.high, at_, at_ + 1, group.freed);
    group.of = -1;
  }
  ++highs_;
}

std::vector<int64_t> EventBins::Sums(const Steps& steps, size_t count) {
  std::vector<int64_t> sums;
  int64_t sum = 0;
  for (size_t i = 0; i < count; ++i) {
    sums.push_back(sum = AddCapped(sum, steps[i]));
  }
  return sums;
}

void EventBins::AddTo(size_t group, std::vector<int64_t>* high,
                      std::vector<int64_t>* last) const {
  if (group >= groups_.size()) return;
  const std::vector<int64_t> its_high = Sums(groups_[group].high, bins_.size());
  const std::vector<int64_t> its_last = Sums(groups_[group].last, bins_.size());
  for (size_t i = 0; i < bins_.size(); ++i) {
    (*high)[i] = AddCapped((*high)[i], its_high[i]);
    (*last)[i] = AddCapped((*last)[i], its_last[i]);
  }
}

// Two bins become one with the higher moment of the two and the last of the
// later.
void EventBins::Halve() {
  const size_t count = (bins_.size() + 1) / 2;
  const auto second = [this](size_t i) {
    return 2 * i + 1 < bins_.size() && !bins_[2 * i + 1].empty();
  };
  const auto higher = [&](size_t i) {
    return 2 * i + (second(i) && bins_[2 * i + 1].high > bins_[2 * i].high);
  };
  for (Group& group : groups_) {
    const std::vector<int64_t> high = Sums(group.high, bins_.size());
    const std::vector<int64_t> last = Sums(group.last, bins_.size());
    Group joined;
    for (size_t i = 0; i < count; ++i) {
      AddRange(&joined.high, i, i + 1, high[higher(i)]);
      AddRange(&joined.last, i, i + 1, last[2 * i + (second(i) ? 1 : 0)]);
    }
    group = std::move(joined);
  }
  std::vector<Bin> joined;
  for (size_t i = 0; i < count; ++i) {
    Bin bin = bins_[higher(i)];
    if (second(i)) {
      bin.end = bins_[2 * i + 1].end;
      bin.last_event = bins_[2 * i + 1].last_event;
    }
    if (!bins_[2 * i].empty()) bin.begin = bins_[2 * i].begin;
    joined.push_back(bin);
  }
  bins_ = std::move(joined);
  ++shift_;
}

void EventBins::Add(size_t group, int64_t bytes, int64_t made, int64_t freed) {
  if (bins_.empty()) return;
  Group& of = Of(group);
  const size_t last = bins_.size() - 1;
  const size_t from = Index(made);
  const size_t to = std::min(Index(std::min(freed, event_ + 1)), last);
  const auto is_live = [&](int64_t event) {
    return made <= event && event < freed;
  };
  // Between its first and its last bin it was live at each moment.
  AddRange(&of.high, from + (is_live(bins_[from].high_event) ? 0 : 1), to,
           bytes);
  AddRange(&of.last, from, to, bytes);
  if (is_live(bins_[to].high_event)) AddRange(&of.high, to, to + 1, bytes);
  if (is_live(bins_[to].last_event)) AddRange(&of.last, to, to + 1, bytes);
}

}  // namespace inquest::memory
