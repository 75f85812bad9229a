// `inquest rules …`, the rule author's loop: one command, one file. Each adds
// its subcommand to the app of `rules`; the callback stores the exit code.
#pragma once

#include <CLI/CLI.hpp>

namespace inquest::cli {

void AddRulesDocs(CLI::App* rules, int* exit_code);
void AddRulesFmt(CLI::App* rules, int* exit_code);
void AddRulesLint(CLI::App* rules, int* exit_code);
void AddRulesList(CLI::App* rules, int* exit_code);
void AddRulesNew(CLI::App* rules, int* exit_code);
void AddRulesProfile(CLI::App* rules, int* exit_code);
void AddRulesSchema(CLI::App* rules, int* exit_code);
void AddRulesScore(CLI::App* rules, int* exit_code);
void AddRulesShow(CLI::App* rules, int* exit_code);
void AddRulesTest(CLI::App* rules, int* exit_code);

}  // namespace inquest::cli
