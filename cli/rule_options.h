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
  // The built-in pack was read and checked when the program was built, which
  // kept only the places of entries. Set this to read it again, for the places
  // of keys or to measure the checks.
  bool read_built_in_text = false;
  bool leave_allowed = false;  // for lint, which checks the allow comments
};

void AddRuleOptions(Command command, RuleOptions* options);

struct LoadedRules {
  std::vector<rules::RuleSource> sources;
  rules::RuleSet set;
  Diagnostics diagnostics;  // errors and warnings about the rules
  // Equal texts of all files in the same order, wherever they lie, have the
  // same.
  std::string digest;
  // How many set.signatures still lacks, see ReadSignatures.
  size_t unread_signatures = 0;
};

// An error only if a path cannot be read; errors inside are diagnostics.
Expected<LoadedRules> ReadRules(const RuleOptions& options);

// The same for who needs no sources and no samples of the built-in pack:
// without them, it is read in a tenth of the time.
Expected<LoadedRules> ReadRulesToApply(const RuleOptions& options);
// The same for a diagnosis, which may not need the signatures: before a log is
// read, ReadSignatures completes what this has returned.
Expected<LoadedRules> ReadRulesForRun(const RuleOptions& options);
Status ReadSignatures(LoadedRules* rules);

}  // namespace inquest::cli
