// SPDX-License-Identifier: Apache-2.0
// What the tools of `inquest mcp` do; tools.h has their names and parameters,
// which are checked before.
#pragma once

#include "cli/mcp/tools.h"

namespace inquest::mcp {

// Of a query; more would fill a client's context.
inline constexpr int64_t kUsualRows = 100;
inline constexpr int64_t kMaxRows = 2000;

Expected<ToolAnswer> CallDiagnose(const nlohmann::json& arguments,
                                  OpenRuns* runs);
Expected<ToolAnswer> CallExplain(const nlohmann::json& arguments,
                                 OpenRuns* runs);
Expected<ToolAnswer> CallQuery(const nlohmann::json& arguments, OpenRuns* runs);
Expected<ToolAnswer> CallFacts(const nlohmann::json& arguments, OpenRuns* runs);

}  // namespace inquest::mcp
