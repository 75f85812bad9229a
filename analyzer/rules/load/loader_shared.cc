// SPDX-License-Identifier: Apache-2.0
// Keys that signatures and rules have in common.

#include <algorithm>
#include <iterator>

#include "analyzer/rules/load/format_words.h"
#include "analyzer/rules/load/loader_parts.h"
#include "analyzer/rules/model/bound.h"
#include "analyzer/rules/model/taxonomy.h"
#include "analyzer/rules/model/world.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/units.h"

namespace inquest::rules {
namespace {

bool IsId(std::string_view id) {
  const auto fine = [](char c) {
    return IsLower(c) || IsDigit(c) || c == '_' || c == '-' || c == '.';
  };
  return !id.empty() && id.size() <= 128 &&
         std::all_of(id.begin(), id.end(), fine) && id.front() != '.' &&
         id.back() != '.' && id.find("..") == std::string_view::npos;
}

void CheckId(const std::string& id, std::string_view key, Fields* fields) {
  if (IsId(id)) return;
  std::string shown = id;
  Shorten(&shown, 128);
  fields->Error(fields->Where(key),
                {"R014", "'" + shown + "' is not an id", "",
                 "an id is small letters, digits, '_' and '-', its parts "
                 "joined by dots: torch.oom"});
}

void CheckWhen(Fields* fix) {
  std::vector<std::string> known;
  for (const auto& [name, unused] : kFrameworks) known.emplace_back(name);
  for (const auto* worlds : {&Vendors(), &Platforms()}) {
    for (const World& one : *worlds) known.push_back(one.id);
  }
  for (const std::string& word : fix->Texts("when")) {
    if (std::ranges::find(known, word) != known.end()) continue;
    fix->Error(
        fix->Where("when"),
        {"R013", "'" + word + "' is not a known framework, vendor or platform",
         "", DidYouMean(word, known)});
  }
}

// A number is compared as it is printed.
std::string ValueText(const nlohmann::json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::vector<Condition> ConditionsOf(const nlohmann::json& value) {
  std::vector<Condition> conditions;
  if (value.is_string()) conditions.push_back({value.get<std::string>(), {}});
  if (!value.is_object()) return conditions;
  for (const auto& [figure, wanted] : value.items()) {
    Condition one{figure, {}};
    if (wanted.is_array()) {
      std::ranges::transform(wanted, std::back_inserter(one.values), ValueText);
    } else if (wanted != true) {
      one.values.push_back(ValueText(wanted));
    }
    conditions.push_back(std::move(one));
  }
  return conditions;
}

void CheckBounds(Fields* fix, const char* key,
                 const std::vector<Condition>& conditions) {
  for (const Condition& one : conditions) {
    for (const std::string& value : one.values) {
      if (!IsBound(value) || ParseBound(value)) continue;
      fix->Error(fix->Where(key), {"R012", "'" + value + "' is no bound", "",
                                   "write a number or a size: '>= 1 GiB'"});
    }
  }
}

}  // namespace

std::string ReadId(Fields* fields) {
  const std::string id = fields->Text("id");
  if (!id.empty()) CheckId(id, "id", fields);
  return id;
}

std::vector<std::string> ReadAliases(Fields* fields) {
  std::vector<std::string> aliases = fields->Texts("aliases");
  for (const std::string& alias : aliases) CheckId(alias, "aliases", fields);
  return aliases;
}

std::string ReadCause(Fields* fields) {
  const std::string cause = fields->Text("cause");
  if (cause.empty() || FindCause(cause) != nullptr) return cause;
  std::vector<std::string> known;
  for (const Cause& one : Causes()) known.emplace_back(one.id);
  const std::string nearest = Nearest(cause, known);
  const std::string meant =
      nearest.empty() ? "" : "did you mean '" + nearest + "'?";
  if (LooksLikeCause(cause)) {
    fields->Warning(
        fields->Where("cause"),
        {"R021", "the cause '" + cause + "' is not in the taxonomy",
         "only shipped relations of a whole area, such as hardware/*, apply to "
         "it",
         meant + (meant.empty() ? "" : " ") +
             "`inquest rules list --causes` shows all; a comment '# inquest: "
             "allow R021 WHY' says that it is intended"});
  } else {
    fields->Error(fields->Where("cause"),
                  {"R020", "'" + cause + "' cannot be a cause", "",
                   meant.empty() ? "a cause is 'area/name', 'none' or 'unknown'"
                                 : meant});
  }
  return cause;
}

std::vector<Fix> ReadFixes(Fields* fields) {
  std::vector<Fix> fixes;
  for (Fields& fix : fields->Children("fix")) {
    fix.Check(FixFormat());
    CheckWhen(&fix);
    fix.Choice("action", kActions, 0);
    fixes.push_back({fix.Text("text"), fix.Text("command"), fix.Texts("when"),
                     fix.Text("action"), fix.Text("url"),
                     ConditionsOf(fix.Value("applies_if")),
                     ConditionsOf(fix.Value("unless"))});
    CheckBounds(&fix, "applies_if", fixes.back().applies_if);
    CheckBounds(&fix, "unless", fixes.back().unless);
    if (fix.failed()) fields->Fail();
  }
  return fixes;
}

Severity ReadSeverity(Fields* fields) {
  return fields->Choice("severity", kSeverities, Severity::kError);
}

Stage ReadStage(Fields* fields) {
  return fields->Choice("status", kStages, Stage::kStable);
}

}  // namespace inquest::rules
