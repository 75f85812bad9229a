// SPDX-License-Identifier: Apache-2.0
// Writes signatures, rules and relations in the form of rule files, after all
// files and overrides were read. For `rules show` and the generated pages.
// Default words are written, other defaults are left out.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/rules/load/loader.h"

namespace inquest::rules {

nlohmann::ordered_json ToJson(const Signature& signature);
nlohmann::ordered_json ToJson(const Rule& rule);
nlohmann::ordered_json ToJson(const Relation& relation);

// Where each key of an entry was set: by the entry itself, or by an override. A
// key that is missing has its default. Reads the entry's file again, once,
// because the model does not keep the place of every key.
class KeyPlaces {
 public:
  using Keys = std::map<std::string, Place>;

  // `sources` must outlive this.
  explicit KeyPlaces(const std::vector<RuleSource>& sources)
      : sources_(sources) {}

  Keys Of(const Place& entry, const Overridden& overridden);

 private:
  using Entries = std::map<std::pair<int, int>, Keys>;  // by line and column

  void Read(const std::string& name, Entries* entries) const;

  const std::vector<RuleSource>& sources_;
  std::map<std::string, Entries> files_;
};

// JSON as YAML in blocks, one value per line; multi-line texts as they are.
// Ends in a newline.
std::string ToYaml(const nlohmann::ordered_json& value);

}  // namespace inquest::rules
