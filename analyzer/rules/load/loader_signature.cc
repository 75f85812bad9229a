// SPDX-License-Identifier: Apache-2.0
// Entries of `signatures:`.

#include <algorithm>

#include "analyzer/rules/load/check_pattern.h"
#include "analyzer/rules/load/format_words.h"
#include "analyzer/rules/load/loader_parts.h"
#include "base/figures_json.h"
#include "base/suggest.h"

namespace inquest::rules {
namespace {

using nlohmann::json;

// Keys that the role needs in addition to the table.
void NeedFor(Fields* fields, std::string_view key, bool needed) {
  if (!needed || fields->Has(key)) return;
  fields->Error(fields->place(),
                {"R011",
                 "a signature of role '" + fields->Text("role") +
                     "' needs the key '" + std::string(key) + "'",
                 "", ""});
}

void ReadTypes(Fields* fields, Signature* signature) {
  if (!fields->Value("types").is_object()) return;
  Fields types = fields->Child("types");
  for (const auto& [name, type] : types.value().items()) {
    if (!type.is_string()) {
      types.Error(
          types.Where(name),
          {"R012", "the type of '" + name + "' must be a word", "", ""});
      continue;
    }
    signature->types[name] =
        types.Choice(name, kCaptureTypes, CaptureType::kString, "type");
  }
  if (types.failed()) fields->Fail();
}

void ReadConstants(Fields* fields, Signature* signature) {
  if (!fields->Value("set").is_object()) return;
  signature->set = ToFigures(fields->Value("set"));
}

void ReadCode(Fields* fields, const PackInfo& pack, Signature* signature) {
  signature->code = fields->Text("code");
  if (signature->code.empty()) return;
  signature->codes = pack.codes;
  if (pack.codes != nullptr) return;
  fields->Error(fields->Where("code"),
                {"R011", "'code' needs the key 'codes' at the top of the file",
                 "the line's code is looked up in that list", ""});
}

std::vector<Sample> ReadSampleList(Fields* samples, const std::string& key) {
  std::vector<Sample> list;
  const json& values = samples->Value(key);
  if (!values.is_array()) return list;
  for (size_t i = 0; i < values.size(); ++i) {
    auto sample = ReadSample(values[i], key + "/" + std::to_string(i), samples);
    if (sample) list.push_back(std::move(*sample));
  }
  return list;
}

// If no pattern of a list has a sample, `samples` must have one.
void NeedSample(Fields* fields, Fields* samples, const Signature& signature) {
  const auto brings = [](const Pattern& one) { return one.sample.has_value(); };
  const bool half_read =
      fields->failed() && fields->Value("pattern").is_array();
  if (half_read || !signature.match.empty() ||
      std::any_of(signature.patterns.begin(), signature.patterns.end(),
                  brings)) {
    return;
  }
  if (samples->Has("match")) {
    samples->Error(samples->Where("match"),
                   {"R043", "a signature needs at least one line that matches",
                    "it shows the next reader what the pattern is for", ""});
  } else if (fields->Has("samples")) {
    samples->Error(samples->place(),
                   {"R011", "'samples' needs the key 'match'", "", ""});
  } else {
    fields->Error(fields->place(),
                  {"R011", "a signature needs the key 'samples'", "", ""});
  }
}

void ReadSamples(Fields* fields, Signature* signature) {
  Fields samples = fields->Child("samples");
  if (fields->Value("samples").is_object()) {
    samples.Check(SamplesFormat());
    signature->match = ReadSampleList(&samples, "match");
    signature->no_match = ReadSampleList(&samples, "no_match");
  }
  if (!samples.failed()) NeedSample(fields, &samples, *signature);
  if (samples.failed()) fields->Fail();
}

void ReadMeaning(Fields* fields, Signature* signature) {
  signature->role = fields->Choice("role", kSignatureRoles, Role::kContext);
  const Role role = signature->role;
  const bool names_cause = role == Role::kCause || role == Role::kSymptom;
  NeedFor(fields, "cause", names_cause || role == Role::kConfirm);
  NeedFor(fields, "title", names_cause);
  fields->Choice("fact", kNamedFacts, 0);
  fields->Choice("source", kSources, 0);
  signature->source = fields->Text("source", "any");
  signature->cause = ReadCause(fields);
  signature->fact = fields->Text("fact");
  if (signature->fact == "none") signature->fact.clear();
  signature->severity = ReadSeverity(fields);
  signature->status = ReadStage(fields);
}

}  // namespace

void ReadSignature(Fields fields, const PackInfo& pack, RuleSet* set) {
  fields.Check(SignatureFormat());
  Signature signature;
  signature.id = ReadId(&fields);
  signature.aliases = ReadAliases(&fields);
  signature.repeat = fields.Bool("repeat");
  signature.pack = pack.name;
  signature.place = fields.place();
  ReadMeaning(&fields, &signature);
  ReadTypes(&fields, &signature);
  ReadPatterns(&fields, pack, &signature);
  ReadCode(&fields, pack, &signature);
  ReadConstants(&fields, &signature);
  ReadSamples(&fields, &signature);
  signature.title = fields.Text("title");
  signature.message = fields.Text("message", signature.title);
  signature.fix = ReadFixes(&fields);
  signature.references = fields.Texts("references");
  signature.falsepositives = fields.Texts("falsepositives");
  if (!pack.checked) CheckPatterns(&signature, &fields);
  if (!fields.failed()) set->signatures.push_back(std::move(signature));
}

}  // namespace inquest::rules
