// SPDX-License-Identifier: Apache-2.0
// Parses YAML into nlohmann::json and keeps the place of every node. Used for
// rule files and their tests. A restricted YAML: one document, no anchors,
// aliases or tags, no duplicate keys. Plain scalars are typed by YAML 1.2's
// core schema (null, booleans, integers, reals), quoted ones are strings.
// Depth, nodes and bytes are bounded while parsing; no exception leaves this
// module.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "analyzer/rules/load/yaml_limits.h"
#include "analyzer/rules/model/rule_model.h"
#include "base/diagnostic.h"

namespace inquest::rules {

struct YamlDocument {
  std::string name;
  std::string text;
  nlohmann::json root;
  std::map<std::string, Place> places;  // JSON pointer -> its value
  std::map<std::string, Place> keys;    // JSON pointer -> its key

  // The node's place, or that of its nearest parent that has one.
  Place Where(const std::string& pointer) const;
  Place WhereKey(const std::string& pointer) const;
};

// Returns false if the text is not such YAML; the reason is in `diagnostics`.
bool ParseYaml(std::string_view name, std::string_view text,
               const YamlLimits& limits, YamlDocument* document,
               Diagnostics* diagnostics);

// Line `number` (from 1) of a text without its line end; empty after the last
// line.
std::string LineOf(std::string_view text, int number);

}  // namespace inquest::rules
