// SPDX-License-Identifier: Apache-2.0
// The three kinds of entries, each read in a separate file. Each adds the
// entries without errors to the set. Internal to the loader.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/rules/load/loader_fields.h"
#include "analyzer/rules/model/codes.h"
#include "analyzer/rules/model/pack.h"
#include "analyzer/rules/model/pattern_shorthand.h"

namespace inquest::rules {

struct PackInfo {
  std::string name;  // of the file's pack
  const PackedSource* packed = nullptr;
  bool checked = false;  // when the program was built
  Fragments fragments = {};
  std::shared_ptr<const Codes> codes = nullptr;

  // The literals of a pattern, if they were computed when the program was
  // built.
  std::optional<Literals> LiteralsOf(const std::string& pattern) const {
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
