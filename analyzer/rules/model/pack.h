// SPDX-License-Identifier: Apache-2.0
// The form of the shipped rules inside the program: when it is built, YAML is
// read, samples are tested and patterns are analysed, which saves that time at
// each start. Written by cli/pack_rules.cc, read by commands that show or check
// the rules; a diagnosis reads image.h. The form is compressed CBOR and private
// to one build: writer and reader are the same.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/rules/load/loader.h"
#include "analyzer/rules/load/yaml.h"
#include "analyzer/rules/model/literals.h"

namespace inquest::rules {

struct PackedSource {
  // Keeps only the places of whole entries; for the place of a key, read the
  // text again.
  YamlDocument document;
  // Pattern as written -> its literals (signature_literals.h).
  std::map<std::string, Literals> literals;
};

// The sources must load without an error.
std::string WritePack(const std::vector<RuleSource>& sources);

enum class PackForm {
  kRead,  // uses the YAML and tests from when the program was built
  kText,  // the texts, to be read and tested again
};

// Does not throw; an error means that the program was built incorrectly.
Expected<std::vector<RuleSource>> ReadPack(std::string_view pack,
                                           PackForm form = PackForm::kRead);

}  // namespace inquest::rules
