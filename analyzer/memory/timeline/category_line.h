// SPDX-License-Identifier: Apache-2.0
// What memory was for over time, as category_keeper.h finds it: the categories
// of peaks/categories.h in a bounded number of moments. Bytes, and nanoseconds
// since 1970.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace inquest::memory {

inline const std::string kUntold = "not told apart";

// In the order of the line's `names`.
struct CategoryMoment {
  int64_t begin = 0, end = 0;
  std::vector<int64_t> high;  // when most was held in this time
  std::vector<int64_t> last;  // from `end` to the next moment
};

struct CategoryLine {
  bool of_pool = false;
  std::vector<std::string> names;
  std::vector<CategoryMoment> moments;
  std::string unknown;  // why there are none, in words

  // Puts what lasts first, and drops all where most of it is not told apart.
  void Judge(bool steps_known);
  // To at most so many, each with the highest moment of those that it joins.
  void Reduce(size_t most);
};

}  // namespace inquest::memory
