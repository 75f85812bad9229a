// SPDX-License-Identifier: Apache-2.0
#include "analyzer/rules/load/loader_fields.h"

#include <algorithm>

#include "base/json_text.h"
#include "base/suggest.h"

namespace inquest::rules {
namespace {

using nlohmann::json;

const json kAbsent;

bool AllText(const json& list) {
  return list.is_array() && std::all_of(list.begin(), list.end(),
                                        [](auto& v) { return v.is_string(); });
}

bool IsScalar(const json& value) {
  return value.is_string() || value.is_number() || value.is_boolean();
}

// Whether it is a list of texts and non-empty lists of texts.
bool IsNeeds(const json& list) {
  return list.is_array() && std::all_of(list.begin(), list.end(), [](auto& v) {
           return v.is_string() || (AllText(v) && !v.empty());
         });
}

// Whether it is a mapping of names to scalars or, if `lists`, to lists of them.
bool IsTuple(const json& value, bool lists) {
  const auto fine = [&](const json& v) {
    return IsScalar(v) || (lists && v.is_array() && !v.empty() &&
                           std::all_of(v.begin(), v.end(), IsScalar));
  };
  return value.is_object() && std::all_of(value.begin(), value.end(), fine);
}

bool IsTuples(const json& value) {
  return value.is_array() &&
         std::all_of(value.begin(), value.end(), [](auto& v) {
           return v.is_array() && std::all_of(v.begin(), v.end(), IsScalar);
         });
}

bool IsText(const json& value) {
  return value.is_string() && !value.get_ref<const std::string&>().empty();
}

// What a figure may be: its text, or a whole number.
bool IsFigureValue(const json& value) {
  return IsText(value) || value.is_number_integer();
}

// Whether it is a mapping of figures to one or several of their values, or to
// true for any.
bool IsValuesByFigure(const json& value) {
  return value.is_object() &&
         std::all_of(value.begin(), value.end(), [](const json& v) {
           return IsFigureValue(v) || v == true ||
                  (v.is_array() && !v.empty() &&
                   std::all_of(v.begin(), v.end(), IsFigureValue));
         });
}

bool IsPattern(const json& value) {
  const auto fine = [](const json& v) { return IsText(v) || v.is_object(); };
  return IsText(value) || (value.is_array() && !value.empty() &&
                           std::all_of(value.begin(), value.end(), fine));
}

bool Fits(const json& value, Shape shape) {
  switch (shape) {
    case Shape::kText:
      return IsText(value);
    case Shape::kBool:
      return value.is_boolean();
    case Shape::kPositive:
      return value.is_number_integer() && value > 0 && value <= INT64_MAX;
    case Shape::kTexts:
      return AllText(value);
    case Shape::kTextOrTexts:
      return value.is_string() || (AllText(value) && !value.empty());
    case Shape::kMapping:
    case Shape::kWordByName:  // the reader looks the words up
      return value.is_object();
    case Shape::kNameOrMapping:
      return IsText(value) || value.is_object();
    case Shape::kNeeds:
      return IsNeeds(value);
    case Shape::kScalarByName:
      return IsTuple(value, false);
    case Shape::kTuple:
      return IsTuple(value, true) && !value.empty();
    case Shape::kTuples:
      return IsTuples(value) && !value.empty();
    case Shape::kMappings:
      return value.is_array() &&
             std::all_of(value.begin(), value.end(),
                         [](auto& v) { return v.is_object(); });
    case Shape::kList:
    case Shape::kSamples:  // the reader checks each line
      return value.is_array();
    case Shape::kTextsByName:
      return value.is_object() &&
             std::all_of(value.begin(), value.end(), [](auto& v) {
               return IsText(v) || (AllText(v) && !v.empty());
             });
    case Shape::kCondition:
      return IsText(value) || IsValuesByFigure(value);
    case Shape::kPattern:
      return IsPattern(value);
    case Shape::kSample:  // the reader checks it
    case Shape::kAny:
      return true;
  }
  return false;
}

// For keys whose form or purpose is not clear from their names.
std::string HowToWrite(std::string_view key) {
  if (key == "why") return "give the reason as text; the report quotes it";
  if (key == "fix") return "write a list of steps: '- text: what to do'";
  if (key == "references") return "write a list: [runbook FAB-12]";
  return "";
}

std::string_view Wanted(Shape shape) {
  switch (shape) {
    case Shape::kText:
      return "a text that is not empty";
    case Shape::kBool:
      return "true or false";
    case Shape::kPositive:
      return "a whole number above 0";
    case Shape::kTexts:
      return "a list of texts";
    case Shape::kTextOrTexts:
      return "a text or a list of texts";
    case Shape::kMapping:
    case Shape::kWordByName:
      return "a mapping (key: value)";
    case Shape::kNameOrMapping:
      return "a text, or a mapping of name and version";
    case Shape::kNeeds:
      return "a list of texts; a list inside it means any of them";
    case Shape::kScalarByName:
      return "a mapping of names to a text, a number or a boolean each";
    case Shape::kTuple:
      return "a mapping of columns to a value or a list of values each";
    case Shape::kTuples:
      return "a list of lists of values";
    case Shape::kMappings:
      return "a list of mappings";
    case Shape::kList:
    case Shape::kSamples:
      return "a list";
    case Shape::kTextsByName:
      return "a mapping of names to a text or a list of texts each";
    case Shape::kCondition:
      return "a figure, or a mapping of figures to true or to one or several "
             "values, each a text or a whole number";
    case Shape::kPattern:
      return "a text, or a list of texts and of mappings of re and sample";
    case Shape::kSample:
    case Shape::kAny:
      return "anything";
  }
  return "";
}

std::string Found(const json& value) {
  if (value.is_null()) return "nothing";
  if (value.is_object()) return "a mapping";
  if (value.is_array()) return "a list with something else in it";
  if (value.is_boolean() || value.is_number()) return JsonText(value);
  return "a text";
}

}  // namespace

Fields::Fields(const YamlDocument& document, std::string pointer,
               const json& value, Reporter* reporter)
    : document_(document),
      pointer_(std::move(pointer)),
      value_(value),
      reporter_(reporter) {}

void Fields::Check(std::span<const KeySpec> keys, std::string_view what) {
  std::vector<std::string> known;
  for (const KeySpec& key : keys) known.emplace_back(key.name);
  if (!value_.is_object()) {
    Error(place(), {"R012", std::string(what) + " must be a mapping", "", ""});
    return;
  }
  for (const auto& [name, unused] : value_.items()) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    Error(WhereKey(name),
          {"R010", std::string(what) + " has no key '" + name + "'", "",
           name == "tests" ? "tests of NAME.yaml belong in NAME.test.yaml"
                           : DidYouMean(name, known)});
  }
  for (const KeySpec& key : keys) CheckShape(key);
  for (const KeySpec& key : keys) {
    if (!key.required || Has(key.name)) continue;
    Error(place(),
          {"R011",
           std::string(what) + " needs the key '" + std::string(key.name) + "'",
           "",
           key.name == "facts"
               ? "write 'facts: 1', the version that the file is for"
               : HowToWrite(key.name)});
  }
}

void Fields::CheckShape(const KeySpec& key) {
  if (!Has(key.name)) return;
  const json& value = Value(key.name);
  if (Fits(value, key.shape)) return;
  const bool unquoted =
      (key.shape == Shape::kText || key.shape == Shape::kPattern ||
       key.shape == Shape::kNameOrMapping) &&
      value.is_primitive() && !value.is_null() && !value.is_string();
  Error(Where(key.name),
        {"R012",
         "'" + std::string(key.name) + "' must be " +
             std::string(Wanted(key.shape)),
         "found " + Found(value),
         key.name == "within" ? "write the number with its unit: 30min"
         : unquoted           ? "put it in 'quotes'"
                              : HowToWrite(key.name)});
}

bool Fields::Has(std::string_view key) const {
  return value_.is_object() && value_.contains(std::string(key));
}

const json& Fields::Value(std::string_view key) const {
  if (!value_.is_object()) return kAbsent;
  const auto found = value_.find(std::string(key));
  return found == value_.end() ? kAbsent : *found;
}

bool Fields::IsText(std::string_view key) const {
  return Fits(Value(key), Shape::kText);
}

std::string Fields::Text(std::string_view key, std::string fallback) const {
  return IsText(key) ? Value(key).get<std::string>() : fallback;
}

bool Fields::Bool(std::string_view key) const {
  return Value(key).is_boolean() && Value(key).get<bool>();
}

int64_t Fields::Number(std::string_view key) const {
  return Fits(Value(key), Shape::kPositive) ? Value(key).get<int64_t>() : 0;
}

std::vector<std::string> Fields::Texts(std::string_view key) const {
  const json& value = Value(key);
  if (value.is_string()) return {value.get<std::string>()};
  if (!AllText(value)) return {};
  return value.get<std::vector<std::string>>();
}

Fields Fields::Child(std::string_view key) const {
  return {document_, pointer_ + "/" + std::string(key), Value(key), reporter_};
}

std::vector<Fields> Fields::Children(std::string_view key) const {
  std::vector<Fields> children;
  const json& list = Value(key);
  if (!Fits(list, Shape::kMappings)) return children;
  for (size_t i = 0; i < list.size(); ++i) {
    children.emplace_back(
        document_, pointer_ + "/" + std::string(key) + "/" + std::to_string(i),
        list[i], reporter_);
  }
  return children;
}

Place Fields::Where(std::string_view key) const {
  return document_.Where(pointer_ + "/" + std::string(key));
}
Place Fields::WhereKey(std::string_view key) const {
  return document_.WhereKey(pointer_ + "/" + std::string(key));
}

void Fields::Error(const Place& place, Complaint complaint) {
  failed_ = true;
  reporter_->Error(place, std::move(complaint));
}

void Fields::Warning(const Place& place, Complaint complaint) {
  reporter_->Warning(place, std::move(complaint));
}

void Fields::BadChoice(std::string_view key, const std::string& word,
                       const std::vector<std::string>& known,
                       std::string_view noun) {
  Error(Where(key),
        {"R013", "'" + word + "' is not a known " + std::string(noun), "",
         DidYouMean(word, known)});
}

}  // namespace inquest::rules
