// SPDX-License-Identifier: Apache-2.0
#include "analyzer/rules/model/pack.h"

#include <zstd.h>

#include <algorithm>
#include <utility>

#include "analyzer/rules/model/pattern_shorthand.h"
#include "analyzer/rules/signatures/signature_literals.h"
#include "analyzer/rules/signatures/signature_sieve.h"
#include "base/parallel.h"

namespace inquest::rules {
namespace {

using nlohmann::json;

constexpr size_t kMaxPackBytes = 64 << 20;

// Whether it is an entry ("/signatures/3"), not something inside it.
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

void AddLiterals(const json& pattern, const Fragments& fragments,
                 json* literals) {
  const json& re = pattern.is_object() ? pattern.at("re") : pattern;
  const auto& written = re.get_ref<const std::string&>();
  const std::string text = InsertFragments(written, fragments);
  Literals needed = LiteralsOf(ExpandKinds(text).re2, Sieve::kShortest);
  (*literals)[written] =
      json::array({std::move(needed.any), std::move(needed.also)});
}

json LiteralsIn(const json& root) {
  json literals = json::object();
  const Fragments fragments = FragmentsOf(root, CodesIn(root));
  for (const json& signature : root.value("signatures", json::array())) {
    const json& pattern = signature.at("pattern");
    if (pattern.is_array()) {
      for (const json& one : pattern) AddLiterals(one, fragments, &literals);
    } else {
      AddLiterals(pattern, fragments, &literals);
    }
  }
  return literals;
}

void UnpackDocument(const json& bytes, YamlDocument* document) {
  json file = json::from_cbor(bytes.get_binary());
  document->root = std::move(file.at("root"));
  for (const json& place : file.at("places")) {
    document->places[place[0]] = {document->name, place[1], place[2]};
  }
}

RuleSource Unpack(json* file, PackForm form) {
  auto packed = std::make_shared<PackedSource>();
  RuleSource source;
  source.name = file->at("name").get<std::string>();
  source.text = std::move(file->at("text").get_ref<std::string&>());
  source.check_samples = form == PackForm::kText;
  packed->document.name = source.name;
  if (form == PackForm::kRead) {
    UnpackDocument(file->at("document"), &packed->document);
  }
  for (const auto& [pattern, needed] : file->at("literals").items()) {
    packed->literals[pattern] = {needed[0], needed[1]};
  }
  source.packed = std::move(packed);
  return source;
}

// Rules are text and take a seventh of their size when compressed.
std::string Compress(const std::string& bytes) {
  constexpr int kLevel = 19;  // once, when the program is built
  std::string packed(ZSTD_compressBound(bytes.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), bytes.data(),
                              bytes.size(), kLevel));
  return packed;
}

// Empty if the bytes are not what Compress returns, which the parser reports.
std::string Decompress(std::string_view packed) {
  const auto size = ZSTD_getFrameContentSize(packed.data(), packed.size());
  if (size > kMaxPackBytes) return {};  // the codes of errors are larger still
  std::string bytes(size, '\0');
  const size_t got =
      ZSTD_decompress(bytes.data(), bytes.size(), packed.data(), packed.size());
  return ZSTD_isError(got) != 0 ? std::string() : bytes;
}

}  // namespace

std::string WritePack(const std::vector<RuleSource>& sources) {
  json pack = json::array();
  for (const RuleSource& source : sources) {
    YamlDocument document;
    Diagnostics unused;
    ParseYaml(source.name, source.text, {}, &document, &unused);
    json literals = LiteralsIn(document.root);
    json places = PlacesOf(document);
    json read = {{"root", std::move(document.root)},
                 {"places", std::move(places)}};
    pack.push_back({{"name", source.name},
                    {"text", source.text},
                    {"document", json::binary(json::to_cbor(read))},
                    {"literals", std::move(literals)}});
  }
  std::string bytes;
  json::to_cbor(pack, bytes);
  return Compress(bytes);
}

Expected<std::vector<RuleSource>> ReadPack(std::string_view pack,
                                           PackForm form) {
  std::vector<RuleSource> sources;
  std::vector<std::string> wrong;
  try {
    json files = json::from_cbor(Decompress(pack));
    sources.resize(files.size());
    wrong.resize(files.size());
    InParallel(files.size(), [&](size_t i) {
      try {
        sources[i] = Unpack(&files[i], form);
      } catch (const json::exception& error) {
        wrong[i] = error.what();
      }
    });
  } catch (const json::exception& error) {
    wrong.emplace_back(error.what());
  }
  for (const std::string& why : wrong) {
    if (why.empty()) continue;
    return Status(StatusCode::kInternal,
                  "the built-in rules cannot be read: " + why);
  }
  return sources;
}

}  // namespace inquest::rules
