// SPDX-License-Identifier: Apache-2.0
#include "analyzer/memory/pool/torch_recorded.h"

#include <bit>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

namespace inquest::memory {
namespace {

constexpr std::string_view kOfSnapshot = "torch.allocator.";

// A snapshot has the effective values, wherever they were set.
void TakeSetting(const std::string& name, const std::string& value,
                 TorchSettings* settings) {
  const std::string roundup = "roundup_power2_divisions.";
  const int64_t number = std::strtoll(value.c_str(), nullptr, 10);
  if (name == "expandable_segments") {
    settings->expandable_segments = value == "True";
  } else if (name == "max_split_size") {
    settings->max_split_size = number > 0 ? number : INT64_MAX;
  } else if (name == "garbage_collection_threshold") {
    settings->garbage_collection_threshold =
        std::strtod(value.c_str(), nullptr);
  } else if (name.starts_with(roundup) && number >= 0) {
    const auto megabytes = static_cast<uint64_t>(
        std::strtoull(name.c_str() + roundup.size(), nullptr, 10));
    const auto index = static_cast<size_t>(std::bit_width(megabytes | 1)) - 1;
    if (index < kRoundupIntervals) settings->roundup_divisions[index] = number;
  }
}

}  // namespace

Expected<RecordedTorchSettings> ReadTorchSettings(Database* db,
                                                  const std::string& prefix) {
  RecordedTorchSettings recorded;
  ASSIGN_OR_RETURN(Statement row, db->Prepare("SELECT name, value FROM " +
                                              prefix + "environment"));
  std::vector<std::pair<std::string, std::string>> of_snapshot;
  std::string newer;
  for (std::string name, value; row.Next(&name, &value);) {
    if (name == "PYTORCH_CUDA_ALLOC_CONF") recorded.text = value;
    if (name == "PYTORCH_ALLOC_CONF") newer = value;
    if (name.starts_with(kOfSnapshot)) {
      of_snapshot.emplace_back(name.substr(kOfSnapshot.size()), value);
    }
  }
  RETURN_IF_ERROR(row.status());
  if (!newer.empty()) recorded.text = newer;
  const Status read = ParseTorchSettings(recorded.text, &recorded.settings);
  if (!read.ok()) recorded.fault = read.message();
  for (const auto& [name, value] : of_snapshot) {
    TakeSetting(name, value, &recorded.settings);
  }
  return recorded;
}

}  // namespace inquest::memory
