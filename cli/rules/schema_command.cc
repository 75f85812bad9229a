// SPDX-License-Identifier: Apache-2.0
// `inquest rules schema`: the JSON Schema of rule files, for editors.
#include "analyzer/rules/load/schema.h"
#include "base/json_text.h"
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
