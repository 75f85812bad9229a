// SPDX-License-Identifier: Apache-2.0
#include "analyzer/rules/model/taxonomy.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "analyzer/rules/load/yaml.h"
#include "base/text.h"

namespace inquest::rules {
namespace {

using nlohmann::json;

int LastLayer(const Taxonomy& taxonomy) {
  return static_cast<int>(taxonomy.layers.size()) - 1;
}

int LayerNamed(const Taxonomy& taxonomy, const std::string& name) {
  const auto found =
      std::find(taxonomy.layers.begin(), taxonomy.layers.end(), name);
  return std::min(static_cast<int>(found - taxonomy.layers.begin()),
                  LastLayer(taxonomy));
}

int LayerOfArea(const Taxonomy& taxonomy, std::string_view cause) {
  const auto area = taxonomy.areas.find(cause.substr(0, cause.find('/')));
  return area == taxonomy.areas.end() ? LastLayer(taxonomy) : area->second;
}

// A test checks the whole file, so the built program has a correct one.
Taxonomy ReadTaxonomy() {
  YamlDocument document;
  Diagnostics unused;
  Taxonomy taxonomy;
  if (!ParseYaml("taxonomy.yaml", std::string(TaxonomyText()), {}, &document,
                 &unused)) {
    return taxonomy;
  }
  const json& root = document.root;
  taxonomy.layers = root.at("layers").get<std::vector<std::string>>();
  for (const auto& [area, layer] : root.at("areas").items()) {
    taxonomy.areas[area] = LayerNamed(taxonomy, layer.get<std::string>());
  }
  for (const json& one : root.at("causes")) {
    Cause cause{one.at("id"), one.at("meaning"), 0};
    const std::string layer = one.value("layer", std::string());
    cause.layer = layer.empty() ? LayerOfArea(taxonomy, cause.id)
                                : LayerNamed(taxonomy, layer);
    taxonomy.causes.push_back(std::move(cause));
  }
  return taxonomy;
}

std::optional<Taxonomy>& BroughtTaxonomy() {
  static std::optional<Taxonomy> taxonomy;
  return taxonomy;
}

}  // namespace

const Taxonomy& TheTaxonomy() {
  static const Taxonomy taxonomy =
      BroughtTaxonomy() ? std::move(*BroughtTaxonomy()) : ReadTaxonomy();
  return taxonomy;
}

void BringTaxonomy(Taxonomy taxonomy) {
  BroughtTaxonomy() = std::move(taxonomy);
}

const std::vector<Cause>& Causes() {
  return TheTaxonomy().causes;
}

const Cause* FindCause(std::string_view id) {
  for (const Cause& cause : Causes()) {
    if (cause.id == id) return &cause;
  }
  return nullptr;
}

bool LooksLikeCause(std::string_view id) {
  if (id == "none" || id == "unknown") return true;
  const size_t slash = id.find('/');
  if (slash == std::string_view::npos || slash == 0) return false;
  const std::string_view area = id.substr(0, slash);
  const std::string_view name = id.substr(slash + 1);
  const auto word = [](char c) { return IsLower(c) || IsDigit(c) || c == '-'; };
  return std::all_of(area.begin(), area.end(), IsLower) && !name.empty() &&
         std::all_of(name.begin(), name.end(), word);
}

int LayerOf(std::string_view cause) {
  const Cause* known = FindCause(cause);
  return known == nullptr ? LayerOfArea(TheTaxonomy(), cause) : known->layer;
}

std::string_view LayerName(int layer) {
  const Taxonomy& taxonomy = TheTaxonomy();
  if (taxonomy.layers.empty()) return {};
  return taxonomy
      .layers[static_cast<size_t>(std::clamp(layer, 0, LastLayer(taxonomy)))];
}

}  // namespace inquest::rules
