// SPDX-License-Identifier: Apache-2.0
#include "analyzer/fleet/results/json_fields.h"

#include <nlohmann/json.hpp>

namespace inquest::fleet {

using nlohmann::json;

const json& At(const json& object, const char* key) {
  static const json kNothing;
  if (!object.is_object()) return kNothing;
  const auto found = object.find(key);
  return found == object.end() ? kNothing : *found;
}

const json& Items(const json& object, const char* key) {
  static const json kNone = json::array();
  const json& items = At(object, key);
  return items.is_array() ? items : kNone;
}

OptionalText TextAt(const json& object, const char* key) {
  const json& value = At(object, key);
  if (!value.is_string() || value.get_ref<const std::string&>().empty()) {
    return {};
  }
  return value.get<std::string>();
}

OptionalInt IntAt(const json& object, const char* key) {
  const json& value = At(object, key);
  if (!value.is_number_integer()) return {};
  return value.get<int64_t>();
}

}  // namespace inquest::fleet
