// SPDX-License-Identifier: Apache-2.0
// The keys of rule files as tables: place, shape, allowed words and meaning.
// The loader checks files with them, `rules schema` prints them as a JSON
// Schema, `rules fmt` takes the order of keys from them, so that the three
// agree. Constant; any thread may read.
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
  kTextOrTexts,    // one text or a list
  kMapping,        // a mapping: of `child`, or of any keys
  kMappings,       // a list of mappings, of `child` if set
  kList,           // a list of anything
  kAny,            // checked by the caller
  kNameOrMapping,  // a string, or a mapping of `child`
  kNeeds,          // a list of strings and of lists of strings (any of)
  kTextsByName,    // a mapping from any name to a string or a list of them
  kWordByName,     // a mapping from any name to one of `words`
  kScalarByName,   // a mapping from any name to a text, number or boolean
  kCondition,      // a name, or a mapping from names to texts
  kTuple,          // the same, but values may be lists
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
  std::span<const std::string_view> words = {};  // the allowed ones
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
const MappingSpec& CodeFormat();
const MappingSpec& SamplesFormat();
const MappingSpec& RuleFormat();
const MappingSpec& ExceptionFormat();
const MappingSpec& LimitsFormat();
const MappingSpec& FixFormat();
const MappingSpec& RelationFormat();
const MappingSpec& OverrideFormat();

// All mappings, the whole file first.
std::span<const MappingSpec* const> AllFormats();

// The key of that name; null if the mapping has none.
const KeySpec* FindKey(const MappingSpec& mapping, std::string_view name);

}  // namespace inquest::rules
