// SPDX-License-Identifier: Apache-2.0
// What `inquest mcp` offers: diagnose, explain, query, facts. Each reads only,
// and each answer carries its evidence and what is missing.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/status.h"
#include "cli/mcp/open_runs.h"

namespace inquest::mcp {

struct ToolAnswer {
  std::string text;
  nlohmann::ordered_json data = nlohmann::ordered_json::object();
};

struct Tool {
  const char* name;
  const char* title;
  const char* description;            // when to call it
  nlohmann::ordered_json parameters;  // JSON Schema of its arguments
  std::function<Expected<ToolAnswer>(const nlohmann::json& arguments,
                                     OpenRuns* runs)>
      call;
};

const std::vector<Tool>& Tools();

// What is wrong with the arguments by the tool's schema; empty: nothing.
std::string WrongWith(const nlohmann::json& arguments, const Tool& tool);

}  // namespace inquest::mcp
