// SPDX-License-Identifier: Apache-2.0
// Whole numbers in few words: ranks, devices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

namespace inquest {

// "0–3, 5, 8–511"; after the first `most` ranges "and 12 more", numbers.
std::string FormatRanges(const std::set<int64_t>& numbers, size_t most = 8);

}  // namespace inquest
