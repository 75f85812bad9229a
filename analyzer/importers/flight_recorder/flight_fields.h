// SPDX-License-Identifier: Apache-2.0
// Fields of a flight recorder's dictionaries, in all forms and versions. A
// field that is missing or of an unexpected type is an empty optional. For
// flight_records.cc.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace inquest::importers {

// null if it is not a dictionary or has no such key.
const nlohmann::json& At(const nlohmann::json& dict, const char* key);
// In the JSON form's status numbers are strings.
std::optional<int64_t> IntOf(const nlohmann::json& value);
std::optional<bool> BoolOf(const nlohmann::json& value);
// "" for null; JSON for anything that is not a string.
std::string TextOf(const nlohmann::json& value);
// Nanoseconds; the JSON form has 0 for the pickle's None.
std::optional<int64_t> TimeOf(const nlohmann::json& entry, const char* key,
                              const char* key_us);
// "_dump_12", "nccl_trace_rank_3", "rank3.json.gz", "trace.7".
std::optional<int64_t> RankInName(const std::string& path);

}  // namespace inquest::importers
