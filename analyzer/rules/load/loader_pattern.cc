// SPDX-License-Identifier: Apache-2.0
// The patterns of a signature, and samples.

#include <algorithm>

#include "analyzer/rules/load/loader_parts.h"
#include "base/figures_json.h"
#include "base/suggest.h"

namespace inquest::rules {
namespace {

using nlohmann::json;

// RE2 takes such braces as text.
void WarnOfKind(const std::string& kind, const Place& place, Fields* fields) {
  std::vector<std::string> known;
  for (const CaptureKind& one : CaptureKinds()) known.emplace_back(one.name);
  const std::string nearest = DidYouMean(kind, known);
  fields->Warning(place,
                  {"R038", "there is no kind of capture named '" + kind + "'",
                   "the braces are searched as text",
                   nearest.empty() ? "write \\{ for a brace" : nearest});
}

// A figure has one type, even if several patterns capture it.
void TakeTypes(const std::map<std::string, CaptureType>& types,
               const Place& place, Fields* fields, Signature* signature) {
  for (const auto& [name, type] : types) {
    const auto [known, is_new] = signature->types.emplace(name, type);
    if (is_new || known->second == type) continue;
    fields->Error(place, {"R037", "'" + name + "' is given two types", "",
                          "leave it out of `types`, or rename one capture"});
  }
}

size_t LengthInCharacters(const std::string& utf8) {
  return static_cast<size_t>(std::count_if(
      utf8.begin(), utf8.end(),
      [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

Pattern MakePattern(const std::string& written, std::optional<Sample> sample,
                    const Place& place, const PackInfo& pack, Fields* fields,
                    Signature* signature) {
  std::string text = InsertFragments(written, pack.fragments);
  const Expanded expanded = ExpandKinds(text);
  if (!expanded.unknown.empty()) WarnOfKind(expanded.unknown, place, fields);
  TakeTypes(expanded.types, place, fields, signature);
  Pattern pattern;
  pattern.literals = pack.LiteralsOf(written);
  pattern.length = LengthInCharacters(written);
  pattern.text = std::move(text);
  pattern.re2 = expanded.re2;
  pattern.sample = std::move(sample);
  pattern.place = place;
  return pattern;
}

}  // namespace

// A sample is a line, or a mapping with `line` and the figures expected.
std::optional<Sample> ReadSample(const json& value, const std::string& key,
                                 Fields* fields) {
  Sample sample;
  sample.place = fields->Where(key);
  if (value.is_string()) {
    sample.line = value.get<std::string>();
    return sample;
  }
  if (value.is_object() && value.contains("line") &&
      value["line"].is_string()) {
    sample.line = value["line"].get<std::string>();
    sample.figures = ToFigures(value);
    sample.figures.Remove("line");
    return sample;
  }
  fields->Error(sample.place, {"R012",
                               "a sample must be a line of text, or a mapping "
                               "with the key 'line'",
                               "", "put the line in 'quotes'"});
  return std::nullopt;
}

// A text, or a list of texts and of mappings of a text and its sample.
void ReadPatterns(Fields* fields, const PackInfo& pack, Signature* signature) {
  if (fields->Has("unless")) {
    signature->unless =
        MakePattern(fields->Text("unless"), {}, fields->Where("unless"), pack,
                    fields, signature);
  }
  const json& value = fields->Value("pattern");
  if (value.is_string()) {
    signature->patterns.push_back(MakePattern(fields->Text("pattern"), {},
                                              fields->Where("pattern"), pack,
                                              fields, signature));
  }
  if (!value.is_array()) return;
  for (size_t i = 0; i < value.size(); ++i) {
    const std::string key = "pattern/" + std::to_string(i);
    if (value[i].is_string()) {
      signature->patterns.push_back(MakePattern(value[i].get<std::string>(), {},
                                                fields->Where(key), pack,
                                                fields, signature));
      continue;
    }
    Fields one(fields->document(), fields->pointer() + "/" + key, value[i],
               fields->reporter());
    one.Check(PatternFormat());
    std::optional<Sample> sample;
    if (one.Has("sample"))
      sample = ReadSample(one.Value("sample"), "sample", &one);
    if (one.failed()) {
      fields->Fail();
      continue;
    }
    signature->patterns.push_back(MakePattern(one.Text("re"), std::move(sample),
                                              one.Where("re"), pack, fields,
                                              signature));
  }
}

}  // namespace inquest::rules
