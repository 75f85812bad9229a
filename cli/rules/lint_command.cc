// `inquest rules lint`: everything that can be said of rule files without a
// run: format, samples, SQL.
#include <fmt/format.h>

#include <memory>

#include "analyzer/facts/store.h"
#include "analyzer/findings/collect.h"
#include "cli/command.h"
#include "cli/rule_options.h"
#include "cli/rules/rules_commands.h"

namespace inquest::cli {
namespace {

int Lint(const std::vector<std::string>& paths) {
  RuleOptions options;
  options.paths = paths;
  options.no_default = !paths.empty();
  options.read_built_in_text = true;
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

void AddRulesLint(CLI::App* rules, int* exit_code) {
  auto paths = std::make_shared<std::vector<std::string>>();
  CLI::App* lint = rules->add_subcommand(
      "lint", "Check rule files; without one, the built-in pack");
  lint->add_option("PATH", *paths, "Rule files and directories");
  lint->callback([paths, exit_code] { *exit_code = Lint(*paths); });
}

}  // namespace inquest::cli
