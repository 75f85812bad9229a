#include "cli/command.h"
#include "cli/rules/rules_commands.h"

namespace inquest::cli {

void AddRules(CLI::App* app, int* exit_code) {
  CLI::App* command =
      app->add_subcommand("rules", "The rules, for those who write them");
  command->require_subcommand(1);
  AddRulesDocs(command, exit_code);
  AddRulesFmt(command, exit_code);
  AddRulesLint(command, exit_code);
  AddRulesList(command, exit_code);
  AddRulesNew(command, exit_code);
  AddRulesProfile(command, exit_code);
  AddRulesSchema(command, exit_code);
  AddRulesScore(command, exit_code);
  AddRulesShow(command, exit_code);
  AddRulesTest(command, exit_code);
}

}  // namespace inquest::cli
