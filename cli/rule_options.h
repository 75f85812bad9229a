// SPDX-License-Identifier: Apache-2.0
// --rules and --no-default-rules, and the rules they load. Shared by the
// commands that apply rules.
#pragma once

#include <string>
#include <vector>

#include "analyzer/rules/load/loader.h"
#include "analyzer/rules/signatures/signature_set.h"
#include "base/diagnostic.h"
#include "cli/arguments.h"

namespace inquest::cli {

struct RuleOptions {
  std::vector<std::string> paths;  // --rules, later ones override
  bool no_default = false;
  // The built-in pack was read and checked when the program was built, and of
  // places only those of entries kept. Who shows each key's place or measures
  // the checks reads it anew.
  bool read_built_in_text = false;
  bool leave_allowed = false;  // for lint, which judges what allows it
};

void AddRuleOptions(Command command, RuleOptions* options);

struct LoadedRules {
  std::vector<rules::RuleSource> sources;
  rules::RuleSet set;
  Diagnostics diagnostics;  // what is wrong with the rules, if anything
};

// An error only where a path cannot be read; mistakes inside are diagnostics.
Expected<LoadedRules> ReadRules(const RuleOptions& options);

}  // namespace inquest::cli
