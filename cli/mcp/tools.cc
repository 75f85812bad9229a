// SPDX-License-Identifier: Apache-2.0
#include "cli/mcp/tools.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/suggest.h"
#include "cli/mcp/tool_calls.h"

namespace inquest::mcp {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

ordered_json Text(const char* meaning) {
  return {{"type", "string"}, {"description", meaning}};
}

ordered_json Texts(const char* meaning) {
  return {{"type", "array"},
          {"items", {{"type", "string"}}},
          {"description", meaning}};
}

// The parameters of a tool that examines a run, and further ones.
ordered_json OfRun(const ordered_json& more = ordered_json::object(),
                   const std::vector<std::string>& required = {}) {
  ordered_json properties = {
      {"paths",
       Texts("Run directories, traces, logs, dumps of other tools; all of one "
             "failed job together")},
      {"logs", Texts("Logs whose kind is to be taken as log, whatever they "
                     "look like (e.g. dmesg.txt)")}};
  properties.update(more);
  std::vector<std::string> all = {"paths"};
  all.insert(all.end(), required.begin(), required.end());
  return {{"type", "object"},
          {"properties", properties},
          {"required", all},
          {"additionalProperties", false}};
}

}  // namespace

const std::vector<Tool>& Tools() {
  static const auto* tools = new std::vector<Tool>{
      {"diagnose", "Name the cause of death of a GPU run",
       "Call this first when a GPU training or inference job failed, hung or "
       "was killed. Reads recordings of `inquest record`, logs (application, "
       "scheduler, kernel) and dumps of other tools, and answers with the "
       "cause, how sure it is, the evidence (line or row of each claim), what "
       "was not judged, and what to do. `unknown` means that nothing decides: "
       "the answer then says what would.",
       OfRun(), CallDiagnose},
      {"explain", "Everything behind one finding",
       "Call after diagnose, to check a claim before acting on it, or to see "
       "why a rival cause lost: every line and row of a finding.",
       OfRun({{"finding", Text("F1, F2 …, the id of a rule, a cause such as "
                               "memory/fragmentation, or verdict (default)")}}),
       CallExplain},
      {"query", "Read-only SQL over a run's facts",
       "Call for figures that the diagnosis does not state: sites that hold "
       "memory, refusals, cuDNN's calls, versions. SQLite's SELECT over the "
       "tables that the tool facts names; times are nanoseconds since 1970, "
       "sizes are bytes. `missing` in the answer says what the recording does "
       "not hold.",
       OfRun({{"sql", Text("One SELECT")},
              {"max_rows",
               {{"type", "integer"},
                {"minimum", 1},
                {"maximum", kMaxRows},
                {"default", kUsualRows}}}},
             {"sql"}),
       CallQuery},
      {"facts",
       "The tables that query reads",
       "Call before query: without arguments the names of all facts, with one "
       "name its columns and their meaning.",
       {{"type", "object"},
        {"properties", {{"fact", Text("Name of a fact; without: all")}}},
        {"additionalProperties", false}},
       CallFacts},
  };
  return *tools;
}

namespace {

bool Fits(const json& value, const ordered_json& schema) {
  const std::string type = schema.value("type", "");
  if (type == "string") return value.is_string();
  if (type == "integer") return value.is_number_integer();
  if (type != "array" || !value.is_array()) return false;
  return std::ranges::all_of(value,
                             [](const json& one) { return one.is_string(); });
}

}  // namespace

std::string WrongWith(const json& arguments, const Tool& tool) {
  if (!arguments.is_object()) return "'arguments' is an object";
  const ordered_json& properties = tool.parameters["properties"];
  std::vector<std::string> names;
  for (const auto& [name, schema] : properties.items()) names.push_back(name);
  for (const auto& [name, value] : arguments.items()) {
    const auto schema = properties.find(name);
    if (schema == properties.end()) {
      const std::string near = DidYouMean(name, names);
      return fmt::format("{} has no argument '{}'{}", tool.name, name,
                         near.empty() ? "" : "; " + near);
    }
    if (!Fits(value, *schema)) {
      return fmt::format("'{}' of {} is not of type {}", name, tool.name,
                         schema->value("type", ""));
    }
  }
  for (const auto& name :
       tool.parameters.value("required", ordered_json::array())) {
    const auto given = arguments.find(name.get<std::string>());
    if (given == arguments.end() || given->empty()) {
      return fmt::format("{} needs '{}'", tool.name, name.get<std::string>());
    }
  }
  return {};
}

}  // namespace inquest::mcp
