// SPDX-License-Identifier: Apache-2.0
#include "base/json_text.h"

#include <nlohmann/json.hpp>

namespace inquest {
namespace {

template <typename Json>
std::string Text(const Json& value, int indent) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string JsonText(const nlohmann::json& value, int indent) {
  return Text(value, indent);
}

std::string JsonText(const nlohmann::ordered_json& value, int indent) {
  return Text(value, indent);
}

nlohmann::json ParseJson(std::string_view text) {
  return nlohmann::json::parse(text, nullptr, false);
}

}  // namespace inquest
