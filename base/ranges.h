// SPDX-License-Identifier: Apache-2.0
// Whole numbers in few words: ranks, devices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace inquest {

// "0–3, 5, 8–511"; after the first `most` ranges "and 12 more", numbers.
std::string FormatRanges(const std::set<int64_t>& numbers, size_t most = 8);

inline constexpr size_t kMostRanges = 16;  // that RanksInWords names

// "rank 3", "ranks 0–3, 7"; " and N more" after the 16th range.
std::string RanksInWords(const std::set<int64_t>& ranks);

// The numbers of "{0, 1, 2}" or "4 5", a million at most.
std::set<int64_t> NumbersIn(std::string_view text);

}  // namespace inquest
