// Versions as numbers that SQL can compare. The tables of what fits what are in
// versions.sql; both are part of every Store.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "trace/sqlite.h"

namespace inquest::facts {

// "12.4" -> 12'0004'0000'0000: up to four parts, four digits each but for the
// first. What follows a part that is no number is not looked at ("2.1.0+cu121"
// is 2.1.0); no value where the text does not begin with a digit.
std::optional<int64_t> VersionNumber(std::string_view text);

// Makes it `version_number(TEXT)` of this connection; NULL stays NULL.
Status DefineVersionNumber(Database* db);

}  // namespace inquest::facts
