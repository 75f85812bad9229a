// SPDX-License-Identifier: Apache-2.0
// `inquest rules show`: one rule or signature after all files were read, and
// with --blame which file and line set each field.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "analyzer/rules/model/aliases.h"
#include "analyzer/rules/model/entry.h"
#include "base/json_text.h"
#include "base/suggest.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/rule_options.h"
#include "cli/rules/rules_commands.h"

namespace inquest::cli {
namespace {

using OrderedJson = nlohmann::ordered_json;

struct ShowOptions {
  RuleOptions rules;
  std::vector<std::string> ids;
  std::string format = "text";
  bool blame = false;
};

// A rule or signature, in the form that all formats are made from.
struct Shown {
  const char* kind;
  OrderedJson fields;
  std::string pack;
  bool disabled;
  rules::Place place;
  std::map<std::string, rules::Place> set_by;
};

template <typename Entry>
void Take(const std::vector<Entry>& entries, const char* kind,
          const std::string& glob, rules::KeyPlaces* places,
          std::vector<Shown>* found) {
  for (const Entry& entry : entries) {
    if (!rules::MatchesId(glob, entry.id, entry.aliases)) continue;
    found->push_back({kind, rules::ToJson(entry), entry.pack, entry.disabled,
                      entry.place, places->Of(entry.place, entry.overridden)});
  }
}

std::vector<Shown> Find(const LoadedRules& loaded, const std::string& glob) {
  rules::KeyPlaces places(loaded.sources);
  std::vector<Shown> found;
  Take(loaded.set.rules, "rule", glob, &places, &found);
  Take(loaded.set.disabled_rules, "rule", glob, &places, &found);
  Take(loaded.set.signatures, "signature", glob, &places, &found);
  Take(loaded.set.disabled_signatures, "signature", glob, &places, &found);
  return found;
}

std::string Where(const rules::Place& place) {
  return fmt::format("{}:{}", place.file, place.line);
}

// A key that neither the entry nor an override wrote has its default.
std::string BlameOf(const Shown& shown, const std::string& key) {
  const auto found = shown.set_by.find(key);
  return found == shown.set_by.end() ? "default" : Where(found->second);
}

// With the place before each field, like `git blame`.
std::string Blamed(const Shown& shown) {
  size_t width = 0;
  for (const auto& [key, value] : shown.fields.items()) {
    width = std::max(width, BlameOf(shown, key).size());
  }
  std::string text;
  for (const auto& [key, value] : shown.fields.items()) {
    std::string before = BlameOf(shown, key);
    std::string yaml = rules::ToYaml(OrderedJson{{key, value}});
    while (!yaml.empty()) {
      const size_t end = yaml.find('\n');
      text += fmt::format("{:<{}} | {}\n", before, width, yaml.substr(0, end));
      yaml.erase(0, end + 1);
      before.clear();
    }
  }
  return text;
}

std::string Header(const Shown& shown) {
  std::string text = fmt::format("# {}, pack {}, {}", shown.kind, shown.pack,
                                 Where(shown.place));
  if (const auto off = shown.set_by.find("disabled"); shown.disabled) {
    text += ", disabled by " + Where(off->second);
  }
  return text + "\n";
}

OrderedJson JsonOf(const Shown& shown) {
  OrderedJson json = {{"kind", shown.kind},
                      {"pack", shown.pack},
                      {"file", shown.place.file},
                      {"line", shown.place.line},
                      {"disabled", shown.disabled}};
  json.update(shown.fields);
  return json;
}

void AddBlame(const Shown& shown, OrderedJson* json) {
  for (const auto& [key, value] : shown.fields.items()) {
    (*json)["blame"][key] = BlameOf(shown, key);
  }
}

std::string Page(const std::vector<Shown>& all, const ShowOptions& options) {
  if (options.format == "json") {
    OrderedJson list = OrderedJson::array();
    for (const Shown& shown : all) {
      OrderedJson one = JsonOf(shown);
      if (options.blame) AddBlame(shown, &one);
      list.push_back(std::move(one));
    }
    return JsonText(list, 2) + "\n";
  }
  std::string text;
  for (const Shown& shown : all) {
    if (!text.empty()) text += "\n";
    if (options.format == "text") text += Header(shown);
    text += options.blame
                ? Blamed(shown)
                : rules::ToYaml(options.format == "text"
                                    ? shown.fields
                                    : OrderedJson::array({shown.fields}));
  }
  return text;
}

Status NoSuch(const LoadedRules& loaded, const std::string& id) {
  std::vector<std::string> known;
  for (const auto& rule : loaded.set.rules) known.push_back(rule.id);
  for (const auto& one : loaded.set.signatures) known.push_back(one.id);
  const std::string nearest = Nearest(id, known);
  return Usage("there is no rule or signature '" + Printable(id, 200) + "'")
      .WithHint(nearest.empty() ? "`inquest rules list` names them all"
                                : "did you mean '" + nearest + "'?");
}

int Show(const ShowOptions& options) {
  auto loaded = ReadRules(options.rules);
  if (!loaded.ok()) return Fail(loaded.status());
  Say(loaded->diagnostics);
  std::vector<Shown> all;
  for (const std::string& id : options.ids) {
    std::vector<Shown> found = Find(*loaded, id);
    if (found.empty()) return Fail(NoSuch(*loaded, id));
    std::move(found.begin(), found.end(), std::back_inserter(all));
  }
  Print(Page(all, options));
  return HasErrors(loaded->diagnostics) ? kBadRules : kDone;
}

}  // namespace

void AddRulesShow(Command rules) {
  auto options = std::make_shared<ShowOptions>();
  const Command show =
      rules.Add("show", "A rule or signature after all files and overrides");
  show.Takes("ID", &options->ids,
             "Id of a rule or signature; '*' matches any text")
      .Required();
  show.Flag("--blame", &options->blame, "Which file and line set each field");
  show.Takes("--format", &options->format, "How to print it")
      .OneOf({"text", "json", "yaml"})
      .ShowDefault();
  AddRuleOptions(show, &options->rules);
  show.Run([options] { return Show(*options); });
}

}  // namespace inquest::cli
