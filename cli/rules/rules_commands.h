// SPDX-License-Identifier: Apache-2.0
// `inquest rules …`, the rule author's loop: one command, one file. Each adds
// its command to `rules`.
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
void AddRulesPhrasebook(Command rules);
void AddRulesScore(Command rules);
void AddRulesShow(Command rules);
void AddRulesTest(Command rules);

}  // namespace inquest::cli
