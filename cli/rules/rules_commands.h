// SPDX-License-Identifier: Apache-2.0
// `inquest rules …`, the rule author's loop: one command, one file. Each adds
// its own to the commands of `rules`.
#pragma once

#include "cli/arguments.h"

namespace inquest::cli {

void AddRulesDocs(Command rules);
void AddRulesFmt(Command rules);
void AddRulesLint(Command rules);
void AddRulesList(Command rules);
void AddRulesNew(Command rules);
void AddRulesProfile(Command rules);
void AddRulesSchema(Command rules);
void AddRulesScore(Command rules);
void AddRulesShow(Command rules);
void AddRulesTest(Command rules);

}  // namespace inquest::cli
