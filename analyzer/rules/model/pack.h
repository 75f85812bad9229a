// SPDX-License-Identifier: Apache-2.0
// The shipped rules in the form in which they travel inside the program: YAML
// read, samples tried and patterns taken apart when it was built, so that a
// start pays for none of it. Written by cli/pack_rules.cc, read at each start.
// The form is CBOR and private to one build: writer and reader are the same.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/rules/load/loader.h"
#include "analyzer/rules/load/yaml.h"

namespace inquest::rules {

struct PackedSource {
  // Of places it keeps those of whole entries; who wants each key's, reads
  // the text again.
  YamlDocument document;
  // Pattern as written -> its literals (signature_literals.h).
  std::map<std::string, std::vector<std::string>> literals;
};

// The sources' rules must be right (LoadRules without an error).
std::string WritePack(const std::vector<RuleSource>& sources);

enum class PackForm {
  kRead,  // YAML as read, samples as tried, when the program was built
  kText,  // the texts, to be read and tried anew
};

// Throws nothing; an error means that the program was built wrongly.
Expected<std::vector<RuleSource>> ReadPack(std::string_view pack,
                                           PackForm form = PackForm::kRead);

}  // namespace inquest::rules
