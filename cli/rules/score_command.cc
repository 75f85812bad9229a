// SPDX-License-Identifier: Apache-2.0
// `inquest rules score`: how well the rules do on a folder of labelled logs.
#include <memory>

#include "authoring/ruletests/diagnoser.h"
#include "authoring/ruletests/score.h"
#include "cli/command.h"
#include "cli/rule_options.h"
#include "cli/rules/rules_commands.h"

namespace inquest::cli {
namespace {

struct ScoreOptions {
  std::string corpus;
  std::string format = "text";
  double min_right = 0;
  RuleOptions rules;
};

Expected<ruletests::Score> ScoreAll(const std::vector<ruletests::Label>& labels,
                                    ruletests::Diagnoser* diagnoser) {
  ruletests::Score score;
  for (const ruletests::Label& label : labels) {
    ASSIGN_OR_RETURN(const auto diagnosis, diagnoser->DiagnoseLog(label.log));
    score.Add(label, diagnosis);
  }
  return score;
}

int Run(const ScoreOptions& options) {
  auto labels = ruletests::ReadLabels(options.corpus);
  if (!labels.ok()) return Fail(labels.status());
  auto loaded = ReadRulesToApply(options.rules);
  if (!loaded.ok()) return Fail(loaded.status());
  Say(loaded->diagnostics);
  const bool mistakes = HasErrors(loaded->diagnostics);
  auto diagnoser = ruletests::Diagnoser::Make(std::move(loaded->set));
  if (!diagnoser.ok()) return Fail(diagnoser.status());
  auto score = ScoreAll(*labels, &*diagnoser);
  if (!score.ok()) return Fail(score.status());
  Say(diagnoser->diagnostics());
  Print(options.format == "json" ? ruletests::ScoreJson(*score)
                                 : ruletests::ScoreText(*score));
  if (mistakes || HasErrors(diagnoser->diagnostics())) return kBadRules;
  return 100 * score->right.Of() < options.min_right ? kNo : kDone;
}

}  // namespace

void AddRulesScore(Command rules) {
  auto options = std::make_shared<ScoreOptions>();
  const Command score = rules.Add(
      "score", "Right causes, false alarms and figures on labelled logs");
  score
      .Takes("CORPUS", &options->corpus,
             "Folder with NAME.log files and labels.jsonl")
      .Required();
  AddRuleOptions(score, &options->rules);
  score.Takes("--format", &options->format, "How to print it")
      .OneOf({"text", "json"})
      .ShowDefault();
  score
      .Takes("--min-right", &options->min_right,
             "Exit with 1 below this percentage of right causes")
      .Percent();
  score.Run([options] { return Run(*options); });
}

}  // namespace inquest::cli
