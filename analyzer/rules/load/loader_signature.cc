// Entries of `signatures:`.

#include "analyzer/rules/load/check_pattern.h"
#include "analyzer/rules/load/format_words.h"
#include "analyzer/rules/load/loader_parts.h"
#include "base/suggest.h"

namespace inquest::rules {
namespace {

using nlohmann::json;

// What the role asks for beyond the table.
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
  signature->set = fields->Value("set");
}

// A sample is a line, or a mapping with `line` and the figures expected.
std::vector<Sample> ReadSampleList(Fields* samples, std::string_view key) {
  std::vector<Sample> list;
  const json& values = samples->Value(key);
  if (!values.is_array()) return list;
  for (size_t i = 0; i < values.size(); ++i) {
    const json& value = values[i];
    Sample sample;
    sample.figures = json::object();
    sample.place = samples->Where(std::string(key) + "/" + std::to_string(i));
    if (value.is_string()) {
      sample.line = value.get<std::string>();
    } else if (value.is_object() && value.contains("line") &&
               value["line"].is_string()) {
      sample.line = value["line"].get<std::string>();
      sample.figures = value;
      sample.figures.erase("line");
    } else {
      samples->Error(sample.place,
                     {"R012",
                      "a sample must be a line of text, or a mapping "
                      "with the key 'line'",
                      "", "put the line in 'quotes'"});
      continue;
    }
    list.push_back(std::move(sample));
  }
  return list;
}

void ReadSamples(Fields* fields, Signature* signature) {
  if (!fields->Value("samples").is_object()) return;
  Fields samples = fields->Child("samples");
  samples.Check(SamplesFormat());
  signature->match = ReadSampleList(&samples, "match");
  signature->no_match = ReadSampleList(&samples, "no_match");
  if (samples.Value("match").is_array() && signature->match.empty() &&
      !samples.failed()) {
    samples.Error(samples.Where("match"),
                  {"R043", "a signature needs at least one line that matches",
                   "it shows the next reader what the pattern is for", ""});
  }
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
  signature.pattern = fields.Text("pattern");
  signature.repeat = fields.Bool("repeat");
  signature.pack = pack.name;
  signature.place = fields.place();
  signature.pattern_place = fields.Where("pattern");
  ReadMeaning(&fields, &signature);
  ReadTypes(&fields, &signature);
  ReadConstants(&fields, &signature);
  ReadSamples(&fields, &signature);
  signature.title = fields.Text("title");
  signature.message = fields.Text("message", signature.title);
  signature.fix = ReadFixes(&fields);
  signature.references = fields.Texts("references");
  signature.falsepositives = fields.Texts("falsepositives");
  signature.literals = pack.LiteralsOf(signature.pattern);
  if (!pack.checked) CheckPattern(&signature, &fields);
  if (!fields.failed()) set->signatures.push_back(std::move(signature));
}

}  // namespace inquest::rules
