// SPDX-License-Identifier: Apache-2.0
// `inquest diff`: what changed between a good run and a bad one.
#include <memory>

#include "analyzer/comparison/comparison_report.h"
#include "cli/command.h"
#include "cli/diagnosis_session.h"

namespace inquest::cli {
namespace {

struct DiffOptions {
  std::string good, bad;
  RuleOptions rules;
  std::string format = "text";
};

Expected<Session> Look(const std::string& path, const RuleOptions& rules) {
  SessionOptions options;
  options.paths = {path};
  options.rules = rules;
  ASSIGN_OR_RETURN(Session session, Session::Open(options));
  RETURN_IF_ERROR(session.Diagnose());
  Say(session.diagnostics());
  return session;
}

comparison::Side SideOf(const std::string& path, const Session& session) {
  const findings::Verdict& verdict = session.diagnosis().verdict;
  return {path, verdict.cause, verdict.summary};
}

int Run(const DiffOptions& options) {
  auto good = Look(options.good, options.rules);
  if (!good.ok()) return Fail(good.status());
  auto bad = Look(options.bad, options.rules);
  if (!bad.ok()) return Fail(bad.status());
  auto sections = comparison::Compare(&good->store(), &bad->store());
  if (!sections.ok()) return Fail(sections.status());
  const comparison::Comparison comparison = {
      SideOf(options.good, *good), SideOf(options.bad, *bad), sections.Take()};
  Print(options.format == "json" ? comparison::ComparisonJson(comparison)
                                 : comparison::ComparisonText(comparison));
  return good->exit_code() != kDone ? good->exit_code() : bad->exit_code();
}

}  // namespace

void AddDiff(Command program) {
  auto options = std::make_shared<DiffOptions>();
  const Command command = program.Add(
      "diff",
      "What changed between two runs: versions, environment, memory, sites");
  command
      .Takes("GOOD", &options->good,
             "The good run: a run directory, a trace, another tool's file or a "
             "log")
      .Required();
  command.Takes("BAD", &options->bad, "The bad run").Required();
  AddRuleOptions(command, &options->rules);
  command.Takes("--format", &options->format, "How to print it")
      .OneOf({"text", "json"})
      .ShowDefault();
  command.Run([options] { return Run(*options); });
}

}  // namespace inquest::cli
