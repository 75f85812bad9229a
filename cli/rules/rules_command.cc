// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"
#include "cli/rules/rules_commands.h"

namespace inquest::cli {

void AddRules(Command program) {
  const Command command =
      program.Add("rules", "The rules, for those who write them");
  command.NeedsCommand();
  AddRulesDocs(command);
  AddRulesFmt(command);
  AddRulesLint(command);
  AddRulesList(command);
  AddRulesNew(command);
  AddRulesPhrasebook(command);
  AddRulesProfile(command);
  AddRulesSchema(command);
  AddRulesScore(command);
  AddRulesShow(command);
  AddRulesTest(command);
}

}  // namespace inquest::cli
