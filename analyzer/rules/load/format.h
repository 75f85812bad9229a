// SPDX-License-Identifier: Apache-2.0
// The keys of rule files as tables: what may stand where, of what shape, with
// what words, and what it means. The loader checks files by them, `rules
// schema` prints them as a JSON Schema, `rules fmt` takes the order of keys
// from them, so that the three cannot differ. Constant; any thread may read.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace inquest::rules {

enum class Shape : uint8_t {
  kText,           // a string that is not empty
  kBool,           // true, false
  kPositive,       // a whole number above 0
  kTexts,          // a list of strings
  kTextOrTexts,    // one or several
  kMapping,        // a mapping: of `child`, or of any keys
  kMappings,       // a list of mappings, of `child` where there is one
  kList,           // a list of whatever
  kAny,            // the caller looks at it
  kNameOrMapping,  // a string, or a mapping of `child`
  kNeeds,          // a list of strings and of lists of strings (any of)
  kTextsByName,    // a mapping from any name to a string or a list of them
  kWordByName,     // a mapping from any name to one of `words`
  kScalarByName,   // a mapping from any name to a text, number or boolean
  kTuple,          // the same, with lists of such values too
  kTuples,         // a list of lists of such values
  kSample,         // a line, or a mapping with `line` and figures
  kSamples,        // a list of those
  kPattern,        // a string, or a list of strings and mappings of `child`
};

struct MappingSpec;

struct KeySpec {
  std::string_view name;
  Shape shape;
  bool required = false;
  std::string_view meaning = {};
  std::span<const std::string_view> words = {};  // no others are right
  const MappingSpec* child = nullptr;            // what the mappings hold
  std::string_view form = {};  // regular expression of a text, for the schema
};

struct MappingSpec {
  std::string_view name;  // of the schema's definition: "signature"
  std::string_view said;  // in messages: "a signature"
  std::string_view meaning;
  std::span<const KeySpec> keys;  // in the order of `rules fmt`
};

const MappingSpec& FileFormat();
const MappingSpec& PackFormat();
const MappingSpec& SignatureFormat();
const MappingSpec& PatternFormat();
const MappingSpec& SamplesFormat();
const MappingSpec& RuleFormat();
const MappingSpec& ExceptionFormat();
const MappingSpec& LimitsFormat();
const MappingSpec& FixFormat();
const MappingSpec& RelationFormat();
const MappingSpec& OverrideFormat();

// Those that the others are made of, the file itself first.
std::span<const MappingSpec* const> AllFormats();

// The key of that name; nothing where the mapping has none.
const KeySpec* FindKey(const MappingSpec& mapping, std::string_view name);

}  // namespace inquest::rules
