// SPDX-License-Identifier: Apache-2.0
// Signatures, rules and relations back into the form of rule files, as they
// stand once all files and overrides were read. For `rules show` and the
// generated pages. Defaults are written out for words, left out for the rest.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/rules/load/loader.h"

namespace inquest::rules {

nlohmann::ordered_json ToJson(const Signature& signature);
nlohmann::ordered_json ToJson(const Rule& rule);
nlohmann::ordered_json ToJson(const Relation& relation);

// Where each key of an entry was set: by the entry itself, or by an override.
// A key that is missing has its default. Reads the entry's file once more, for
// the model does not keep the place of every key.
std::map<std::string, Place> SetBy(const std::vector<RuleSource>& sources,
                                   const Place& entry,
                                   const Overridden& overridden);

// JSON as YAML in blocks, one line a value; texts of several lines as they are.
// Ends in a newline.
std::string ToYaml(const nlohmann::ordered_json& value);

}  // namespace inquest::rules
