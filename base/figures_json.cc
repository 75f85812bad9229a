// SPDX-License-Identifier: Apache-2.0
#include "base/figures_json.h"

#include <nlohmann/json.hpp>

#include "base/json_text.h"

namespace inquest {
namespace {

template <typename Json>
struct Writer {
  Json operator()(std::monostate) const { return nullptr; }
  Json operator()(const Figure::List& list) const {
    Json items = Json::array();
    for (const Figure& item : list) {
      items.push_back(std::visit(*this, item.value()));
    }
    return items;
  }
  template <typename T>
  Json operator()(const T& value) const {
    return value;
  }
};

template <typename Json>
Json Write(const Figures& figures) {
  Json object = Json::object();
  for (const auto& [name, figure] : figures) {
    object[name] = std::visit(Writer<Json>(), figure.value());
  }
  return object;
}

}  // namespace

void to_json(nlohmann::json& json, const Figure& figure) {
  json = std::visit(Writer<nlohmann::json>(), figure.value());
}

void to_json(nlohmann::json& json, const Figures& figures) {
  json = Write<nlohmann::json>(figures);
}

void to_json(nlohmann::ordered_json& json, const Figure& figure) {
  json = std::visit(Writer<nlohmann::ordered_json>(), figure.value());
}

void to_json(nlohmann::ordered_json& json, const Figures& figures) {
  json = Write<nlohmann::ordered_json>(figures);
}

Figure ToFigure(const nlohmann::json& json) {
  if (json.is_null()) return nullptr;
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_unsigned()) return json.get<uint64_t>();
  if (json.is_number_integer()) return json.get<int64_t>();
  if (json.is_number()) return json.get<double>();
  if (json.is_string()) return json.get_ref<const std::string&>();
  if (!json.is_array()) return JsonText(json);
  Figure::List list;
  for (const nlohmann::json& item : json) list.push_back(ToFigure(item));
  return list;
}

Figures ToFigures(const nlohmann::json& json) {
  Figures figures;
  if (!json.is_object()) return figures;
  for (const auto& [name, value] : json.items())
    figures[name] = ToFigure(value);
  return figures;
}

std::string JsonText(const Figure& figure) {
  return JsonText(nlohmann::json(figure));
}

std::string JsonText(const Figures& figures) {
  return JsonText(nlohmann::json(figures));
}

Figures ParseFigures(std::string_view json) {
  return ToFigures(ParseJson(json));
}

}  // namespace inquest
