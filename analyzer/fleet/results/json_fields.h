// SPDX-License-Identifier: Apache-2.0
// Members of JSON that anyone may have written: what is missing or of another
// type is unknown, never an error.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "analyzer/fleet/results/rows.h"

namespace inquest::fleet {

// The member, or null.
const nlohmann::json& At(const nlohmann::json& object, const char* key);
// The member if it is an array, or an empty one.
const nlohmann::json& Items(const nlohmann::json& object, const char* key);
// An empty text is unknown, too.
OptionalText TextAt(const nlohmann::json& object, const char* key);
OptionalInt IntAt(const nlohmann::json& object, const char* key);

}  // namespace inquest::fleet
