// SPDX-License-Identifier: Apache-2.0
// The three kinds of entries, each read by a file of its own. Each adds to the
// set what it could read without error. Internal to the loader.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/rules/load/loader_fields.h"
#include "analyzer/rules/model/pack.h"
#include "analyzer/rules/model/pattern_shorthand.h"

namespace inquest::rules {

struct PackInfo {
  std::string name;  // of the pack the file belongs to
  const PackedSource* packed = nullptr;
  bool checked = false;  // when the program was built
  Fragments fragments = {};

  // Of a pattern that was taken apart when the program was built.
  std::optional<std::vector<std::string>> LiteralsOf(
      const std::string& pattern) const {
    if (packed == nullptr) return {};
    const auto known = packed->literals.find(pattern);
    if (known == packed->literals.end()) return {};
    return known->second;
  }
};

void ReadSignature(Fields fields, const PackInfo& pack, RuleSet* set);
void ReadRule(Fields fields, const PackInfo& pack, RuleSet* set);
void ReadRelation(Fields fields, RuleSet* set);

// Parts of signatures.
void ReadPatterns(Fields* fields, const PackInfo& pack, Signature* signature);
// A line, or a mapping with `line` and the figures expected, under `key`.
std::optional<Sample> ReadSample(const nlohmann::json& value,
                                 const std::string& key, Fields* fields);

// Parts that signatures and rules share.
std::string ReadId(Fields* fields);
std::vector<std::string> ReadAliases(Fields* fields);
std::string ReadCause(Fields* fields);
std::vector<Fix> ReadFixes(Fields* fields);
Severity ReadSeverity(Fields* fields);
Stage ReadStage(Fields* fields);
std::vector<Exception> ReadExceptions(Fields* fields);
void ReadLimits(Fields* fields, int64_t* rows, int64_t* milliseconds);

}  // namespace inquest::rules
