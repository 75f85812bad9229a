// `inquest rules schema`: the JSON Schema of rule files, for editors.
#include "analyzer/base/json_text.h"
#include "analyzer/rules/schema.h"
#include "cli/command.h"
#include "cli/rules/rules_commands.h"

namespace inquest::cli {

void AddRulesSchema(Command rules) {
  rules.Add("schema", "The JSON Schema of rule files, for editors").Run([] {
    Print(JsonText(rules::RuleFileSchema(), 2) + "\n");
    return kDone;
  });
}

}  // namespace inquest::cli
