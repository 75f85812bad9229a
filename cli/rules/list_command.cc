// `inquest rules list`: what rules there are, a line each.
#include <fmt/format.h>

#include <memory>

#include "analyzer/base/units.h"
#include "cli/command.h"
#include "cli/rule_options.h"
#include "cli/rules/rules_commands.h"

namespace inquest::cli {
namespace {

int List(const RuleOptions& options) {
  auto loaded = ReadRules(options);
  if (!loaded.ok()) return Fail(loaded.status());
  Say(loaded->diagnostics);
  for (const rules::Rule& rule : loaded->set.rules) {
    Print(fmt::format("rule       {:<40}  {:<28}  {}\n", rule.id, rule.cause,
                      Printable(rule.title)));
  }
  for (const rules::Signature& signature : loaded->set.signatures) {
    Print(fmt::format("signature  {:<40}  {:<28}  {}\n", signature.id,
                      signature.cause.empty() ? "-" : signature.cause,
                      Printable(signature.title)));
  }
  return HasErrors(loaded->diagnostics) ? kBadRules : kDone;
}

}  // namespace

void AddRulesList(CLI::App* rules, int* exit_code) {
  auto options = std::make_shared<RuleOptions>();
  CLI::App* list = rules->add_subcommand("list", "All rules, a line each");
  AddRuleOptions(list, options.get());
  list->callback([options, exit_code] { *exit_code = List(*options); });
}

}  // namespace inquest::cli
