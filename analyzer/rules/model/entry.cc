// SPDX-License-Identifier: Apache-2.0
#include "analyzer/rules/model/entry.h"

#include <nlohmann/json.hpp>

#include "analyzer/rules/load/format_words.h"
#include "analyzer/rules/load/yaml.h"
#include "analyzer/rules/model/pattern_shorthand.h"
#include "analyzer/rules/model/rule_words.h"
#include "base/figures_json.h"
#include "base/units.h"

namespace inquest::rules {
namespace {

using Json = nlohmann::ordered_json;

void PutText(Json* json, const char* key, const std::string& text) {
  if (!text.empty()) (*json)[key] = text;
}
void PutTexts(Json* json, const char* key,
              const std::vector<std::string>& texts) {
  if (!texts.empty()) (*json)[key] = texts;
}

void PutEnds(Json* json, const char* key,
             const std::vector<std::string>& ends) {
  if (ends.size() == 1) {
    (*json)[key] = ends.front();
  } else {
    (*json)[key] = ends;
  }
}

// As in the file: one figure, or figures with their values or true.
void PutConditions(Json* json, const char* key,
                   const std::vector<Condition>& conditions) {
  if (conditions.size() == 1 && conditions[0].values.empty()) {
    return PutText(json, key, conditions[0].figure);
  }
  for (const Condition& one : conditions) {
    Json* values = &(*json)[key];
    if (one.values.empty()) {
      (*values)[one.figure] = true;
    } else {
      PutEnds(values, one.figure.c_str(), one.values);
    }
  }
}

void PutFixes(Json* json, const std::vector<Fix>& fixes) {
  for (const Fix& fix : fixes) {
    Json step = Json::object();
    PutText(&step, "action", fix.action);
    PutText(&step, "text", fix.text);
    PutText(&step, "command", fix.command);
    PutText(&step, "url", fix.url);
    if (!fix.when.empty()) PutEnds(&step, "when", fix.when);
    PutConditions(&step, "applies_if", fix.applies_if);
    PutConditions(&step, "unless", fix.unless);
    (*json)["fix"].push_back(std::move(step));
  }
}

void PutExceptions(Json* json, const std::vector<Exception>& exceptions) {
  for (const Exception& exception : exceptions) {
    for (const auto& tuple : exception.tuples) {
      (*json)["exceptions"].push_back(
          {{"name", exception.name}, {"where", Json(tuple)}});
    }
  }
}

Json SampleJson(const Sample& sample) {
  if (sample.figures.empty()) return sample.line;
  Json one = {{"line", sample.line}};
  one.update(Json(sample.figures));
  return one;
}

Json SamplesJson(const std::vector<Sample>& samples) {
  Json list = Json::array();
  for (const Sample& sample : samples) list.push_back(SampleJson(sample));
  return list;
}

Json PatternJson(const std::vector<Pattern>& patterns) {
  if (patterns.size() == 1 && !patterns.front().sample) {
    return patterns.front().text;
  }
  Json list = Json::array();
  for (const Pattern& pattern : patterns) {
    if (pattern.sample) {
      list.push_back(
          {{"re", pattern.text}, {"sample", SampleJson(*pattern.sample)}});
    } else {
      list.push_back(pattern.text);
    }
  }
  return list;
}

// The types that no pattern declares, as {name:bytes} does.
std::map<std::string, CaptureType> TypesBesides(const Signature& signature) {
  std::map<std::string, CaptureType> types = signature.types;
  for (const Pattern& pattern : signature.patterns) {
    for (const auto& [name, type] : ExpandKinds(pattern.text).types) {
      types.erase(name);
    }
  }
  return types;
}

}  // namespace

Json ToJson(const Signature& signature) {
  Json json = {{"id", signature.id}};
  PutTexts(&json, "aliases", signature.aliases);
  json["status"] = WordIn(kStages, signature.status);
  json["source"] = signature.source;
  json["pattern"] = PatternJson(signature.patterns);
  if (signature.unless) json["unless"] = signature.unless->text;
  PutText(&json, "code", signature.code);
  for (const auto& [name, type] : TypesBesides(signature)) {
    json["types"][name] = WordIn(kCaptureTypes, type);
  }
  if (!signature.set.empty()) json["set"] = Json(signature.set);
  if (signature.repeat) json["repeat"] = true;
  json["role"] = Word(signature.role);
  PutText(&json, "cause", signature.cause);
  PutText(&json, "fact", signature.fact);
  json["severity"] = Word(signature.severity);
  PutText(&json, "title", signature.title);
  PutText(&json, "message", signature.message);
  PutFixes(&json, signature.fix);
  PutTexts(&json, "falsepositives", signature.falsepositives);
  PutTexts(&json, "references", signature.references);
  if (!signature.match.empty()) {
    json["samples"]["match"] = SamplesJson(signature.match);
  }
  if (!signature.no_match.empty()) {
    json["samples"]["no_match"] = SamplesJson(signature.no_match);
  }
  return json;
}

Json ToJson(const Rule& rule) {
  Json json = {{"id", rule.id}};
  PutTexts(&json, "aliases", rule.aliases);
  json["title"] = rule.title;
  json["cause"] = rule.cause;
  json["status"] = WordIn(kStages, rule.status);
  json["severity"] = Word(rule.severity);
  json["role"] = Word(rule.role);
  for (const std::string& fact : rule.needs) json["needs"].push_back(fact);
  for (const auto& any : rule.needs_any) json["needs"].push_back(any);
  json["sql"] = rule.sql;
  json["confidence"] = Word(rule.confidence);
  PutText(&json, "confirm", rule.confirm);
  PutText(&json, "refute", rule.refute);
  json["message"] = rule.message;
  PutFixes(&json, rule.fix);
  PutTexts(&json, "falsepositives", rule.falsepositives);
  PutExceptions(&json, rule.exceptions);
  PutTexts(&json, "references", rule.references);
  if (rule.max_rows > 0) json["limits"]["rows"] = rule.max_rows;
  if (rule.max_milliseconds > 0) {
    json["limits"]["milliseconds"] = rule.max_milliseconds;
  }
  return json;
}

Json ToJson(const Relation& relation) {
  Json json = Json::object();
  PutEnds(&json, "from", relation.from);
  PutEnds(&json, "to", relation.to);
  json["kind"] = WordIn(kKinds, relation.kind);
  json["scope"] = WordIn(kScopes, relation.scope);
  json["order"] = WordIn(kOrders, relation.any_order);
  if (relation.within_ns > 0) {
    json["within"] = std::to_string(relation.within_ns / 1'000'000) + "ms";
  }
  if (!relation.same.empty()) json["same"] = relation.same;
  json["why"] = relation.why;
  return json;
}

KeyPlaces::Keys KeyPlaces::Of(const Place& entry,
                              const Overridden& overridden) {
  const auto [file, is_new] = files_.try_emplace(entry.file);
  if (is_new) Read(entry.file, &file->second);
  const auto own = file->second.find({entry.line, entry.column});
  Keys places = own == file->second.end() ? Keys{} : own->second;
  for (const auto& [key, place] : overridden) places[key] = place;
  return places;
}

void KeyPlaces::Read(const std::string& name, Entries* entries) const {
  for (const RuleSource& source : sources_) {
    if (source.name != name) continue;
    YamlDocument document;
    Diagnostics unused;
    if (!ParseYaml(source.name, source.text, {}, &document, &unused)) continue;
    for (const auto& [list, values] : document.root.items()) {
      if (!values.is_array()) continue;
      for (size_t i = 0; i < values.size(); ++i) {
        const std::string at = "/" + list + "/" + std::to_string(i);
        const Place place = document.Where(at);
        Keys& keys = (*entries)[{place.line, place.column}];
        for (const auto& [key, value] : values[i].items()) {
          keys[key] = document.WhereKey(at + "/" + key);
        }
      }
    }
  }
}

}  // namespace inquest::rules
