// SPDX-License-Identifier: Apache-2.0
// The shorthand of patterns: `{requested_bytes:bytes}` means a named capture
// with the usual expression of that kind of text, and declares the figure's
// type; `{:bytes}` means only the expression. A file adds its own kinds under
// `fragments`. RE2 itself never reads '{' before a letter or a colon as a
// repetition. Called by the loader, and by the writer of the built-in pack.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/rules/model/codes.h"
#include "analyzer/rules/model/rule_model.h"

namespace inquest::rules {

struct CaptureKind {
  std::string_view name;
  std::string_view expression;
  CaptureType type;
  std::string_view example;
};
std::span<const CaptureKind> CaptureKinds();

// Name -> expression, of one file. Fragments may use kinds, but no fragments.
using Fragments = std::map<std::string, std::string>;
// The `fragments` of a rule file, each a text or a list of alternatives, and,
// if it has `codes`, code_name, code_text, calm, source and number_follows
// (codes.h), unless the file has its own. Entries of another shape are left
// out; the loader has reported them.
Fragments FragmentsOf(const nlohmann::json& file,
                      const std::vector<Code>& codes);

// Text in \escapes and in [classes] stays as it is, as does a brace that is not
// a shorthand.
std::string InsertFragments(std::string_view written,
                            const Fragments& fragments);

struct Expanded {
  std::string re2;
  std::map<std::string, CaptureType> types;
  std::string unknown;  // the first {name:kind} whose kind does not exist
};
// After InsertFragments.
Expanded ExpandKinds(std::string_view text);

}  // namespace inquest::rules
