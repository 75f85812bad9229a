// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "cli/manual/pages.h"

namespace inquest::cli {
namespace {

using nlohmann::ordered_json;

ordered_json Json(const OptionPage& option) {
  return {{"names", option.names},      {"value", option.value},
          {"choices", option.choices},  {"default", option.preset},
          {"help", option.help},        {"required", option.required},
          {"repeated", option.repeated}};
}

ordered_json Json(const std::vector<OptionPage>& options) {
  ordered_json all = ordered_json::array();
  for (const OptionPage& one : options) all.push_back(Json(one));
  return all;
}

ordered_json Json(const CommandPage& command) {
  ordered_json commands = ordered_json::array();
  for (const CommandPage& one : command.commands) commands.push_back(Json(one));
  return {{"command", Joined(command.path, " ")},
          {"help", command.help},
          {"examples", command.examples},
          {"options", Json(command.options)},
          {"positionals", Json(command.positionals)},
          {"commands", commands}};
}

}  // namespace

std::string TreeJson(const CommandPage& program) {
  return JsonText(Json(program), 2) + "\n";
}

}  // namespace inquest::cli
