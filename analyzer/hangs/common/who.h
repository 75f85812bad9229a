// SPDX-License-Identifier: Apache-2.0
// Names of ranks and processes for sentences: "rank 3", "ranks 0–3, 7",
// "pid 4711 (node48)". Bounded in length. Pure.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace inquest::hangs {

inline constexpr size_t kMaxRanges = 16;  // that are named

// "rank 3", "ranks 0–3"; " and N more" after the 16th range.
std::string RanksInWords(const std::set<int64_t>& ranks);

// The first of them, then " and N more".
std::string Listed(const std::vector<std::string>& names, size_t most);

// Numbers in "{0, 1, 2}", "4, 5-7" or "4 5".
std::set<int64_t> NumbersIn(std::string_view text);

}  // namespace inquest::hangs
