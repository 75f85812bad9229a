// `inquest rules schema`: the JSON Schema of rule files, for editors.
#include "analyzer/rules/schema.h"
#include "cli/command.h"
#include "cli/rules/rules_commands.h"

namespace inquest::cli {

void AddRulesSchema(CLI::App* rules, int* exit_code) {
  rules->add_subcommand("schema", "The JSON Schema of rule files, for editors")
      ->callback([exit_code] {
        Print(rules::RuleFileSchema().dump(2) + "\n");
        *exit_code = kDone;
      });
}

}  // namespace inquest::cli
