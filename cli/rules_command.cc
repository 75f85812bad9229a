// `inquest rules`: what rules there are, and whether rule files are right.
#include <fmt/format.h>

#include <memory>

#include "analyzer/facts/store.h"
#include "analyzer/findings/collect.h"
#include "cli/command.h"
#include "cli/rule_options.h"

namespace inquest::cli {
namespace {

int List(const RuleOptions& options) {
  auto loaded = ReadRules(options);
  if (!loaded.ok()) return Fail(loaded.status());
  Say(loaded->diagnostics);
  for (const rules::Rule& rule : loaded->set.rules) {
    Print(fmt::format("rule       {:<40}  {:<28}  {}\n", rule.id, rule.cause,
                      rule.title));
  }
  for (const rules::Signature& signature : loaded->set.signatures) {
    Print(fmt::format("signature  {:<40}  {:<28}  {}\n", signature.id,
                      signature.cause.empty() ? "-" : signature.cause,
                      signature.title));
  }
  return HasErrors(loaded->diagnostics) ? kBadRules : kDone;
}

// Everything that can be said without a run: format, samples, SQL.
int Lint(const std::vector<std::string>& paths) {
  RuleOptions options;
  options.paths = paths;
  options.no_default = !paths.empty();
  options.try_built_in_samples = true;
  auto loaded = ReadRules(options);
  if (!loaded.ok()) return Fail(loaded.status());
  auto store = facts::Store::Create();
  if (!store.ok()) return Fail(store.status());
  if (Status status = store->DefineFacts(); !status.ok()) return Fail(status);
  findings::CheckRules(&*store, loaded->set, &loaded->diagnostics);
  Say(loaded->diagnostics);
  Print(
      fmt::format("{} signatures, {} rules, {} relations: {}\n",
                  loaded->set.signatures.size(), loaded->set.rules.size(),
                  loaded->set.relations.size(),
                  HasErrors(loaded->diagnostics) ? "with mistakes" : "right"));
  return HasErrors(loaded->diagnostics) ? kNo : kDone;
}

}  // namespace

void AddRules(CLI::App* app, int* exit_code) {
  CLI::App* command =
      app->add_subcommand("rules", "The rules, for those who write them");
  command->require_subcommand(1);
  auto options = std::make_shared<RuleOptions>();
  CLI::App* list = command->add_subcommand("list", "All rules, a line each");
  AddRuleOptions(list, options.get());
  list->callback([options, exit_code] { *exit_code = List(*options); });
  auto paths = std::make_shared<std::vector<std::string>>();
  CLI::App* lint = command->add_subcommand(
      "lint", "Check rule files; without one, the built-in pack");
  lint->add_option("PATH", *paths, "Rule files and directories");
  lint->callback([paths, exit_code] { *exit_code = Lint(*paths); });
}

}  // namespace inquest::cli
