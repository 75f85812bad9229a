// SPDX-License-Identifier: Apache-2.0
// Reads a row whose columns are text, for the sentences about it. Internal to
// collect/.
#pragma once

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "analyzer/findings/collect/row_sentence.h"

namespace inquest::findings {

// Empty where the column is NULL.
inline std::string_view At(const RowText& row, std::string_view column) {
  const auto found = row.find(column);
  return found == row.end() ? std::string_view() : found->second;
}

inline int64_t NumberAt(const RowText& row, std::string_view column) {
  return strtoll(std::string(At(row, column)).c_str(), nullptr, 10);
}

// "15:28:43.125 UTC ", or nothing where the time is not known.
inline std::string Clock(const RowText& row, std::string_view column = "time") {
  constexpr int64_t kSecond = 1'000'000'000;
  const int64_t time = NumberAt(row, column);
  if (time <= 0) return {};
  return fmt::format("{:%H:%M:%S}.{:03} UTC ", fmt::gmtime(time / kSecond),
                     time % kSecond / 1'000'000);
}

inline std::string OnDevice(const RowText& row) {
  const std::string_view device = At(row, "device");
  if (device.empty() || device == "-1") return {};
  return fmt::format(" on GPU {}", device);
}

}  // namespace inquest::findings
