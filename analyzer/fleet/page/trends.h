// SPDX-License-Identifier: Apache-2.0
// Runs over time for a picture: days joined to at most about sixty spans, and
// the most costly causes by name. Pure. Internal to page/.
#pragma once

#include <nlohmann/json.hpp>

#include "analyzer/fleet/store/fleet_database.h"

namespace inquest::fleet {

// {"first_day", "days" of a span, "spans", "runs": […], "causes": [{"cause",
// "runs": […], "hours": […]}]}: a cause's figures span by span, causes beyond
// the first ones under "" (other causes); hours are null where of no run of the
// span they are known. Empty if no run has a start.
nlohmann::json TrendData(const Rows& by_day);

}  // namespace inquest::fleet
