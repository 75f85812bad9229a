// SPDX-License-Identifier: Apache-2.0
#include "analyzer/rules/load/schema.h"

#include <string>

#include "analyzer/rules/load/format.h"

namespace inquest::rules {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kId[] = "urn:inquest:schema:rules:1";

Json Text() {
  return {{"type", "string"}, {"minLength", 1}};
}
Json ListOf(Json items) {
  return {{"type", "array"}, {"items", std::move(items)}};
}
Json Scalar() {
  return {{"type", Json::array({"string", "number", "boolean"})}};
}
Json AtLeastOne(Json schema, const char* key) {
  schema[key] = 1;
  return schema;
}
Json MapTo(Json values) {
  return {{"type", "object"}, {"additionalProperties", std::move(values)}};
}
Json EitherOf(Json a, Json b) {
  return {{"anyOf", Json::array({std::move(a), std::move(b)})}};
}
Json FigureValue() {
  return EitherOf(Text(), {{"type", "integer"}});
}

// A mapping of fixed keys appears once, under $defs.
Json Mapping(const MappingSpec* child) {
  if (child == nullptr) return {{"type", "object"}};
  return {{"$ref", "#/$defs/" + std::string(child->name)}};
}

Json Word(const KeySpec& key) {
  Json schema = Text();
  if (!key.words.empty()) {
    schema = {{"enum", Json::array()}};
    for (const std::string_view word : key.words)
      schema["enum"].push_back(word);
  }
  if (!key.form.empty()) schema["pattern"] = key.form;
  return schema;
}

Json Sample() {
  Json mapping = MapTo(EitherOf(Scalar(), ListOf(Scalar())));
  mapping["required"] = Json::array({"line"});
  mapping["properties"] = {{"line", {{"type", "string"}}}};
  return EitherOf({{"type", "string"}}, mapping);
}

Json ShapeOf(const KeySpec& key) {
  switch (key.shape) {
    case Shape::kText:
      return Word(key);
    case Shape::kBool:
      return {{"type", "boolean"}};
    case Shape::kPositive:
      return {{"type", "integer"}, {"minimum", 1}};
    case Shape::kTexts:
      return ListOf({{"type", "string"}});
    case Shape::kTextOrTexts:
      return EitherOf(Text(), AtLeastOne(ListOf(Text()), "minItems"));
    case Shape::kMapping:
      return Mapping(key.child);
    case Shape::kMappings:
      return ListOf(Mapping(key.child));
    case Shape::kList:
      return {{"type", "array"}};
    case Shape::kNameOrMapping:
      return EitherOf(Text(), Mapping(key.child));
    case Shape::kNeeds:
      return ListOf(EitherOf(Text(), AtLeastOne(ListOf(Text()), "minItems")));
    case Shape::kTextsByName:
      return MapTo(EitherOf(Text(), AtLeastOne(ListOf(Text()), "minItems")));
    case Shape::kCondition:
      return EitherOf(
          Text(),
          MapTo(EitherOf(EitherOf(FigureValue(), {{"const", true}}),
                         AtLeastOne(ListOf(FigureValue()), "minItems"))));
    case Shape::kWordByName:
      return MapTo(Word(key));
    case Shape::kScalarByName:
      return MapTo(Scalar());
    case Shape::kTuple:
      return AtLeastOne(
          MapTo(EitherOf(Scalar(), AtLeastOne(ListOf(Scalar()), "minItems"))),
          "minProperties");
    case Shape::kTuples:
      return AtLeastOne(ListOf(ListOf(Scalar())), "minItems");
    case Shape::kSample:
      return Sample();
    case Shape::kSamples:
      return ListOf(Sample());
    case Shape::kPattern:
      return EitherOf(
          Text(),
          AtLeastOne(ListOf(EitherOf(Text(), Mapping(key.child))), "minItems"));
    case Shape::kAny:
      break;
  }
  return Json::object();
}

Json Definition(const MappingSpec& mapping) {
  Json schema = {{"description", mapping.meaning},
                 {"type", "object"},
                 {"additionalProperties", false},
                 {"required", Json::array()},
                 {"properties", Json::object()}};
  for (const KeySpec& key : mapping.keys) {
    if (key.required) schema["required"].push_back(key.name);
    Json& property = schema["properties"][std::string(key.name)];
    property = {{"description", key.meaning}};
    property.update(ShapeOf(key));
  }
  return schema;
}

// Keys that a signature's role needs in addition to the table.
Json RoleNeeds(Json roles, Json keys) {
  return {{"if",
           {{"properties", {{"role", {{"enum", std::move(roles)}}}}},
            {"required", Json::array({"role"})}}},
          {"then", {{"required", std::move(keys)}}}};
}

// In a list, patterns have their own samples.
Json TextNeedsSamples() {
  return {{"if", {{"properties", {{"pattern", {{"type", "string"}}}}}}},
          {"then",
           {{"required", Json::array({"samples"})},
            {"properties",
             {{"samples", {{"required", Json::array({"match"})}}}}}}}};
}

}  // namespace

Json RuleFileSchema() {
  Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                 {"$id", kId},
                 {"title", "inquest rule file, format 1.0"}};
  schema.update(Definition(FileFormat()));
  Json& definitions = schema["$defs"];
  for (const MappingSpec* mapping : AllFormats().subspan(1)) {
    definitions[std::string(mapping->name)] = Definition(*mapping);
  }
  definitions["signature"]["allOf"] = {
      RoleNeeds({"cause", "symptom"}, {"cause", "title"}),
      RoleNeeds(Json::array({"confirm"}), Json::array({"cause"})),
      TextNeedsSamples()};
  definitions["samples"]["properties"]["match"]["minItems"] = 1;
  definitions["exception"]["oneOf"] = {
      {{"required", Json::array({"where"})}},
      {{"required", Json::array({"fields", "values"})}}};
  definitions["override"]["minProperties"] = 2;
  return schema;
}

}  // namespace inquest::rules
