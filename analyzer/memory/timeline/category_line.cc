// SPDX-License-Identifier: Apache-2.0
#include "analyzer/memory/timeline/category_line.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>
#include <utility>

#include "base/capped.h"

namespace inquest::memory {
namespace {

// What lasts stands below in a picture.
constexpr std::array<std::string_view, 11> kOrder = {"weights",
                                                     "gradients",
                                                     "optimizer",
                                                     "weights or other",
                                                     "gradients or optimizer",
                                                     "other",
                                                     "NCCL",
                                                     "activations",
                                                     "workspace",
                                                     "activations or workspace",
                                                     "not told apart"};

int64_t SumOf(const std::vector<int64_t>& values) {
  return std::accumulate(values.begin(), values.end(), int64_t{0}, AddCapped);
}

auto PlaceInOrder(const std::string& name) {
  return std::ranges::find(kOrder, name) - kOrder.begin();
}

std::vector<int64_t> Picked(const std::vector<int64_t>& values,
                            const std::vector<size_t>& order) {
  std::vector<int64_t> picked;
  for (const size_t i : order) picked.push_back(values[i]);
  return picked;
}

}  // namespace

void CategoryLine::Judge(bool steps_known) {
  std::vector<size_t> order;
  int64_t all = 0, untold = 0;  // at the highest moment
  for (const CategoryMoment& one : moments) {
    const int64_t sum = SumOf(one.high);
    if (sum <= all) continue;
    all = sum;
    untold = 0;
    for (size_t i = 0; i < names.size(); ++i) {
      if (names[i] == kUntold) untold += one.high[i];
    }
  }
  if (all == 0 || untold > all / 2) {
    unknown = steps_known
                  ? "most of it is neither told by its code nor by its life"
                  : "no training steps are known, so nothing tells what lasts "
                    "from what a step needs";
    names.clear();
    moments.clear();
    return;
  }
  for (size_t i = 0; i < names.size(); ++i) {
    const bool used = std::ranges::any_of(moments, [i](const auto& one) {
      return one.high[i] != 0 || one.last[i] != 0;
    });
    if (used) order.push_back(i);
  }
  std::ranges::stable_sort(order, {},
                           [this](size_t i) { return PlaceInOrder(names[i]); });
  std::vector<std::string> ordered;
  for (const size_t i : order) ordered.push_back(names[i]);
  names = std::move(ordered);
  for (CategoryMoment& one : moments) {
    one.high = Picked(one.high, order);
    one.last = Picked(one.last, order);
  }
}

void CategoryLine::Reduce(size_t most) {
  while (moments.size() > most && moments.size() > 1) {
    std::vector<CategoryMoment> joined;
    for (size_t i = 0; i < moments.size(); i += 2) {
      CategoryMoment one = std::move(moments[i]);
      if (i + 1 < moments.size()) {
        CategoryMoment& next = moments[i + 1];
        if (SumOf(next.high) > SumOf(one.high)) one.high = next.high;
        one.end = next.end;
        one.last = std::move(next.last);
      }
      joined.push_back(std::move(one));
    }
    moments = std::move(joined);
  }
}

}  // namespace inquest::memory
