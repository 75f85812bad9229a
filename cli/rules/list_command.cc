// SPDX-License-Identifier: Apache-2.0
// `inquest rules list`: all rules, a line each; with --packs, their packs; with
// --causes, the causes of verdicts.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "analyzer/rules/model/taxonomy.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/rule_options.h"
#include "cli/rules/rules_commands.h"

namespace inquest::cli {
namespace {

struct ListOptions {
  RuleOptions rules;
  bool packs = false;
  bool causes = false;
};

void ListEntries(const rules::RuleSet& set) {
  for (const rules::Rule& rule : set.rules) {
    Print(fmt::format("rule       {:<40}  {:<28}  {}\n", rule.id, rule.cause,
                      Printable(rule.title)));
  }
  for (const rules::Signature& signature : set.signatures) {
    Print(fmt::format("signature  {:<40}  {:<28}  {}\n", signature.id,
                      signature.cause.empty() ? "-" : signature.cause,
                      Printable(signature.title)));
  }
}

// The taxonomy, and the causes that packs add.
void ListCauses(const rules::RuleSet& set) {
  std::set<std::string> own;
  for (const rules::Rule& rule : set.rules) own.insert(rule.cause);
  for (const auto& one : set.signatures) own.insert(one.cause);
  own.erase("");
  for (const rules::Cause& cause : rules::Causes()) {
    own.erase(std::string(cause.id));
    Print(fmt::format("{:<32}  {}\n", cause.id, cause.meaning));
  }
  for (const std::string& cause : own) {
    Print(fmt::format("{:<32}  of the rules that were loaded\n", cause));
  }
}

struct PackSummary {
  std::string version;
  int64_t facts = 0;
  size_t files = 0;
  size_t entries = 0;
};

// Built-in packs have the program's version if their files state none.
void ListPacks(const rules::RuleSet& set) {
  std::map<std::string, PackSummary> packs;
  for (const rules::Pack& pack : set.packs) {
    PackSummary& summary = packs[pack.name];
    ++summary.files;
    summary.facts = std::max(summary.facts, pack.facts);
    if (!pack.version.empty()) summary.version = pack.version;
    if (summary.version.empty() && pack.place.file.starts_with("built-in/")) {
      summary.version = INQUEST_VERSION;
    }
  }
  for (const rules::Rule& rule : set.rules) ++packs[rule.pack].entries;
  for (const auto& one : set.signatures) ++packs[one.pack].entries;
  Print(fmt::format("{:<16} {:<10} {:>6} {:>6} {:>8}\n", "pack", "version",
                    "facts", "files", "entries"));
  for (const auto& [name, pack] : packs) {
    Print(fmt::format("{:<16} {:<10} {:>6} {:>6} {:>8}\n", Printable(name, 40),
                      pack.version.empty() ? "-" : Printable(pack.version, 40),
                      pack.facts, pack.files, pack.entries));
  }
}

int List(const ListOptions& options) {
  auto loaded = ReadRulesToApply(options.rules);
  if (!loaded.ok()) return Fail(loaded.status());
  Say(loaded->diagnostics);
  if (options.packs) {
    ListPacks(loaded->set);
  } else if (options.causes) {
    ListCauses(loaded->set);
  } else {
    ListEntries(loaded->set);
  }
  return HasErrors(loaded->diagnostics) ? kBadRules : kDone;
}

}  // namespace

void AddRulesList(Command rules) {
  auto options = std::make_shared<ListOptions>();
  const Command list = rules.Add("list", "All rules, a line each");
  list.Flag("--packs", &options->packs,
            "List the packs instead: version, facts they need, entries");
  list.Flag("--causes", &options->causes,
            "List the causes instead, with their meaning");
  AddRuleOptions(list, &options->rules);
  list.Run([options] { return List(*options); });
}

}  // namespace inquest::cli
