// SPDX-License-Identifier: Apache-2.0
// Versions as numbers that SQL can compare. Compatible versions are in
// version_rows.sql; version_seen.sql collects the versions seen in a run.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/database.h"

namespace inquest::facts {

// "12.4" -> 12'0004'0000'0000: up to four parts, four digits each except the
// first. Parsing stops at the first part that is not a number ("2.1.0+cu121" is
// 2.1.0); empty if the text does not begin with a digit.
std::optional<int64_t> VersionNumber(std::string_view text);

// Defines the SQL function `version_number(TEXT)`; NULL stays NULL.
Status DefineVersionNumber(Database* db);

// Fills version_seen from logs and traces. Called once, after
// all logs were read.
Status CollectVersions(Database* db);

}  // namespace inquest::facts
