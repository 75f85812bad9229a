#include "analyzer/rules/pack.h"

#include <algorithm>
#include <utility>

#include "analyzer/rules/signature_literals.h"
#include "analyzer/rules/signature_sieve.h"

namespace inquest::rules {
namespace {

using nlohmann::json;

// "/signatures/3", not what lies below it.
bool IsEntry(const std::string& pointer) {
  return std::count(pointer.begin(), pointer.end(), '/') <= 2;
}

json PlacesOf(const YamlDocument& document) {
  json places = json::array();
  for (const auto& [pointer, place] : document.places) {
    if (!IsEntry(pointer)) continue;
    places.push_back({pointer, place.line, place.column});
  }
  return places;
}

json LiteralsOf(const json& root) {
  json literals = json::object();
  for (const json& signature : root.value("signatures", json::array())) {
    const std::string& pattern = signature.at("pattern");
    literals[pattern] = RequiredLiterals(pattern, Sieve::kShortest);
  }
  return literals;
}

RuleSource Unpack(json file) {
  auto packed = std::make_shared<PackedSource>();
  RuleSource source;
  source.name = file.at("name").get<std::string>();
  source.text = std::move(file.at("text").get_ref<std::string&>());
  source.check_samples = false;
  packed->document.name = source.name;
  packed->document.root = std::move(file.at("root"));
  for (const json& place : file.at("places")) {
    packed->document.places[place[0]] = {source.name, place[1], place[2]};
  }
  packed->literals = file.at("literals");
  source.packed = std::move(packed);
  return source;
}

}  // namespace

std::string WritePack(const std::vector<RuleSource>& sources) {
  json pack = json::array();
  for (const RuleSource& source : sources) {
    YamlDocument document;
    Diagnostics unused;
    ParseYaml(source.name, source.text, {}, &document, &unused);
    json literals = LiteralsOf(document.root);
    json places = PlacesOf(document);
    pack.push_back({{"name", source.name},
                    {"text", source.text},
                    {"root", std::move(document.root)},
                    {"places", std::move(places)},
                    {"literals", std::move(literals)}});
  }
  std::string bytes;
  json::to_cbor(pack, bytes);
  return bytes;
}

Expected<std::vector<RuleSource>> ReadPack(std::string_view pack) {
  std::vector<RuleSource> sources;
  try {
    for (json& file : json::from_cbor(pack)) {
      sources.push_back(Unpack(std::move(file)));
    }
  } catch (const json::exception& error) {
    return Status(
        StatusCode::kInternal,
        std::string("the built-in rules cannot be read: ") + error.what());
  }
  return sources;
}

}  // namespace inquest::rules
