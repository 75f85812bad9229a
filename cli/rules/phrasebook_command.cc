// SPDX-License-Identifier: Apache-2.0
// `inquest rules phrasebook`: every sentence that the rules can say, beside the
// line that makes them say it.
#include <memory>

#include "authoring/phrasebook/phrasebook.h"
#include "authoring/ruletests/test_files.h"
#include "authoring/ruletests/test_loader.h"
#include "cli/command.h"
#include "cli/rule_options.h"
#include "cli/rules/rules_commands.h"

namespace inquest::cli {
namespace {

struct PhrasebookOptions {
  std::string glob = "*";
  std::vector<std::string> tests;
  RuleOptions rules;
};

Status PrintAll(const PhrasebookOptions& options,
                ruletests::Diagnoser* diagnoser) {
  if (options.tests.empty()) {
    return phrasebook::PrintSamples(diagnoser, options.glob, Print);
  }
  ASSIGN_OR_RETURN(const auto found, ruletests::FindTests(options.tests));
  Diagnostics said;
  for (const rules::RuleSource& source : found.tests) {
    const ruletests::TestFile file = ruletests::LoadTestFile(source, &said);
    RETURN_IF_ERROR(phrasebook::PrintTests(file, diagnoser, Print));
  }
  Say(said);
  return Status::Ok();
}

int Run(const PhrasebookOptions& options) {
  auto loaded = ReadRules(options.rules);
  if (!loaded.ok()) return Fail(loaded.status());
  Say(loaded->diagnostics);
  if (HasErrors(loaded->diagnostics)) return kBadRules;
  auto diagnoser = ruletests::Diagnoser::Make(std::move(loaded->set));
  if (!diagnoser.ok()) return Fail(diagnoser.status());
  if (Status status = PrintAll(options, &*diagnoser); !status.ok()) {
    return Fail(status);
  }
  return kDone;
}

}  // namespace

void AddRulesPhrasebook(Command rules) {
  auto options = std::make_shared<PhrasebookOptions>();
  const Command phrasebook = rules.Add(
      "phrasebook", "What reports say of each sample line, to be read through");
  phrasebook
      .Takes("ID", &options->glob,
             "Signatures to show; '*' stands for any text")
      .ShowDefault();
  phrasebook.Takes("--tests", &options->tests,
                   "Show the verdicts of these rule tests instead");
  AddRuleOptions(phrasebook, &options->rules);
  phrasebook.Run([options] { return Run(*options); });
}

}  // namespace inquest::cli
