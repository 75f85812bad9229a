// SPDX-License-Identifier: Apache-2.0
// `inquest facts`: the documentation of the facts.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "analyzer/facts/store/catalogue.h"
#include "base/suggest.h"
#include "cli/command.h"

namespace inquest::cli {
namespace {

int List() {
  size_t width = 0;
  for (const facts::Fact& fact : facts::Catalogue()) {
    width = std::max(width, fact.name.size());
  }
  for (const facts::Fact& fact : facts::Catalogue()) {
    Print(fmt::format("{:<{}}  {}\n", fact.name, width, fact.meaning));
  }
  return kDone;
}

std::string TextPage(const facts::Fact& fact) {
  std::string page = fmt::format("{}  (facts, version {})\n  {}\n\n", fact.name,
                                 facts::kFactsVersion, fact.meaning);
  size_t width = 0;
  for (const auto& column : fact.columns) {
    width = std::max(width, column.name.size() + 1);
  }
  for (const auto& column : fact.columns) {
    page += fmt::format("  {:<{}}  {}\n",
                        column.name + (column.nullable ? "?" : ""), width,
                        column.meaning);
  }
  const bool any = std::any_of(fact.columns.begin(), fact.columns.end(),
                               [](const auto& one) { return one.nullable; });
  if (any) page += "\n  ? may be NULL; compare with IS, or use coalesce\n";
  return page;
}

std::string MarkdownPage(const facts::Fact& fact) {
  std::string page = fmt::format(
      "## {}\n\n{}\n\n| column | | meaning |\n"
      "| --- | --- | --- |\n",
      fact.name, fact.meaning);
  for (const auto& column : fact.columns) {
    page += fmt::format("| `{}` | {} | {} |\n", column.name,
                        column.nullable ? "may be NULL" : "", column.meaning);
  }
  return page + "\n";
}

int Show(const std::string& name) {
  if (const facts::Fact* fact = facts::FindFact(name)) {
    Print(TextPage(*fact));
    return kDone;
  }
  std::vector<std::string> names;
  for (const facts::Fact& fact : facts::Catalogue()) names.push_back(fact.name);
  const std::string near = DidYouMean(name, names);
  return Fail(Usage(fmt::format("there is no fact '{}'", name))
                  .WithHint(near.empty() ? "`inquest facts list` names them all"
                                         : near));
}

int Markdown() {
  Print(
      fmt::format("# Facts, version {}\n\nWhat rules and `inquest query` may "
                  "read. Made by `inquest facts markdown`; times are "
                  "nanoseconds since 1970 UTC, sizes are bytes.\n\n",
                  facts::kFactsVersion));
  for (const facts::Fact& fact : facts::Catalogue()) Print(MarkdownPage(fact));
  return kDone;
}

}  // namespace

void AddFacts(Command program) {
  const Command facts = program.Add(
      "facts", "The facts that rules and queries read, and their columns");
  facts.NeedsCommand();
  facts.Add("list", "All facts, a line each").Run(List);
  const auto name = std::make_shared<std::string>();
  const Command show = facts.Add("show", "One fact, its columns");
  show.Takes("FACT", name.get(), "Its name").Required();
  show.Run([name] { return Show(*name); });
  facts.Add("markdown", "The reference page docs/facts.md").Run(Markdown);
}

}  // namespace inquest::cli
