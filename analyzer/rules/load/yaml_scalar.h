// SPDX-License-Identifier: Apache-2.0
// What a plain (unquoted) YAML scalar means: null, true, false, a whole number
// (also 0x, 0o), a real number; anything else is text. YAML 1.2's core schema
// without .inf and .nan, which JSON does not have.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace inquest::rules {

nlohmann::json PlainScalar(const std::string& text);

}  // namespace inquest::rules
