// SPDX-License-Identifier: Apache-2.0
// JSON to text and back, compiled once: the library's templates for both cost
// seconds in every file that uses them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace inquest {

// In one line, or with `indent` spaces a level. Invalid UTF-8 becomes U+FFFD;
// control characters and marks of direction are escaped.
std::string JsonText(const nlohmann::json& value, int indent = -1);
std::string JsonText(const nlohmann::ordered_json& value, int indent = -1);

// Malformed text gives a value that `is_discarded`.
nlohmann::json ParseJson(std::string_view text);

}  // namespace inquest
