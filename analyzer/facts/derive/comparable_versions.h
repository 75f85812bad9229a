// Versions as numbers that SQL can compare. The tables of what fits what are in
// versions.sql, what was seen is gathered by version_seen.sql.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/database.h"

namespace inquest::facts {

// "12.4" -> 12'0004'0000'0000: up to four parts, four digits each but for the
// first. What follows a part that is no number is not looked at ("2.1.0+cu121"
// is 2.1.0); no value where the text does not begin with a digit.
std::optional<int64_t> VersionNumber(std::string_view text);

// Makes it `version_number(TEXT)` of this connection; NULL stays NULL.
Status DefineVersionNumber(Database* db);

// Brings what logs and traces say of versions into one form. Called once, after
// all logs were read.
Status CollectVersions(Database* db);

}  // namespace inquest::facts
