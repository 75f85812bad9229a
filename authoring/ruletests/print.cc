// SPDX-License-Identifier: Apache-2.0
#include "authoring/ruletests/print.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analyzer/rules/model/taxonomy.h"
#include "base/units.h"

namespace inquest::ruletests {
namespace {

constexpr size_t kWidest = 60;  // of a column of --diff

std::string Place(const Result& result) {
  const rules::Place& place = result.test->place;
  return fmt::format("{}:{}:{}", place.file, place.line, place.column);
}

std::string PlainDifferences(const Result& result) {
  std::string text;
  for (const Difference& one : result.differences) {
    text += fmt::format("  {}: expected {}, got {}\n", one.key,
                        Printable(one.expected), Printable(one.got));
  }
  return text;
}

std::string Table(const Result& result) {
  size_t key = 3;
  size_t expected = 8;
  for (const Difference& one : result.differences) {
    key = std::max(key, one.key.size());
    expected = std::max(expected, std::min(one.expected.size(), kWidest));
  }
  const auto line = [&](const std::string& a, const std::string& b,
                        const std::string& c) {
    return fmt::format("  {:<{}}  {:<{}}  {}\n", a, key, b, expected, c);
  };
  std::string text = line("key", "expected", "got");
  for (const Difference& one : result.differences) {
    text += line(one.key, Printable(one.expected), Printable(one.got));
  }
  return text;
}

std::string Findings(const Result& result) {
  std::string text = "  found:\n";
  for (const findings::Finding& one : result.diagnosis.findings) {
    text += fmt::format("    {:<4} {} ({}): {}\n", one.id, one.rule, one.cause,
                        Printable(one.message, 160));
  }
  return result.diagnosis.findings.empty() ? "  found: nothing\n" : text;
}

std::string PrintResult(const Result& result, bool diff) {
  const std::string name = Printable(result.test->name);
  switch (result.state) {
    case State::kPassed:
      return "";
    case State::kTodo:
      return fmt::format("todo  {}: {}\n  {}\n", Place(result), name,
                         Printable(result.test->todo));
    case State::kTodoPassed:
      return fmt::format(
          "FAIL  {}: {}\n  passes, though its todo says: {}\n  remove the "
          "todo\n",
          Place(result), name, Printable(result.test->todo));
    case State::kBroken:
      return fmt::format("FAIL  {}: {}\n  cannot be run: {}\n{}", Place(result),
                         name, Printable(result.problem.message()),
                         result.problem.hint().empty()
                             ? ""
                             : "  " + result.problem.hint() + "\n");
    case State::kFailed:
      break;
  }
  return fmt::format("FAIL  {}: {}\n", Place(result), name) +
         (diff ? Table(result) + Findings(result) : PlainDifferences(result));
}

// Causes in the order of the taxonomy, then those of the pack's own.
std::vector<std::string> CausesOf(const Coverage& coverage) {
  std::vector<std::string> causes;
  const auto add = [&](std::string_view cause) {
    if (cause.empty() || cause == "none") return;
    if (std::find(causes.begin(), causes.end(), cause) == causes.end()) {
      causes.emplace_back(cause);
    }
  };
  for (const rules::Cause& cause : rules::Causes()) add(cause.id);
  for (const Covered& one : coverage.all()) add(one.cause);
  return causes;
}

std::string ByCause(const Coverage& coverage) {
  std::string text = fmt::format("{:<34}{:>6}{:>12}{:>11}\n", "cause", "rules",
                                 "signatures", "verdicts");
  for (const std::string& cause : CausesOf(coverage)) {
    int64_t rules = 0;
    int64_t signatures = 0;
    for (const Covered& one : coverage.all()) {
      if (one.cause == cause) ++(one.is_rule ? rules : signatures);
    }
    const int64_t verdicts = coverage.Verdicts(cause);
    if (rules + signatures + verdicts == 0) continue;
    text += fmt::format("{:<34}{:>6}{:>12}{:>11}\n", cause, rules, signatures,
                        verdicts);
  }
  return text;
}

std::string Lacking(const Coverage& coverage) {
  std::string text;
  for (const Covered& one : coverage.Missing()) {
    text += fmt::format("{}:{}:{}: {} '{}' has no case in which it {}\n",
                        one.place.file, one.place.line, one.place.column,
                        one.is_rule ? "rule" : "signature", one.id,
                        one.fired == 0 && one.silent == 0
                            ? "fires nor one in which it does not"
                        : one.fired == 0 ? "fires"
                                         : "keeps silent");
  }
  return text;
}

std::string PrintCoverage(const Coverage& coverage) {
  const auto& all = coverage.all();
  const auto both = std::count_if(
      all.begin(), all.end(), [](const Covered& one) { return one.both(); });
  const auto idle = coverage.IdleRelations();
  std::string text = ByCause(coverage);
  for (const rules::Place& place : idle) {
    text += fmt::format("{}:{}:{}: the relation moved no finding in a test\n",
                        place.file, place.line, place.column);
  }
  return text +
         fmt::format(
             "relations: {} of {} moved a finding in a test\ncoverage: {:.1f} "
             "% ({} of {} rules and signatures that name a cause have a case "
             "in which they fire and one in which they do not)\n",
             coverage.relations() - idle.size(), coverage.relations(),
             coverage.Percent(), both, all.size());
}

std::string Totals(const Run& run) {
  const int64_t all = run.unread + static_cast<int64_t>(run.results.size());
  std::string text =
      fmt::format("{} test{}: {} passed", all, all == 1 ? "" : "s",
                  run.Count(State::kPassed));
  const int64_t failed = run.Count(State::kFailed) + run.Count(State::kBroken) +
                         run.Count(State::kTodoPassed);
  if (failed > 0) text += fmt::format(", {} failed", failed);
  const int64_t todo = run.Count(State::kTodo);
  if (todo > 0) text += fmt::format(", {} todo", todo);
  if (run.unread > 0) {
    text += fmt::format(", {} not run because of errors in them", run.unread);
  }
  return text + "\n";
}

}  // namespace

std::string PrintRun(const Run& run, const Coverage& coverage,
                     const PrintOptions& options) {
  std::string text;
  for (const Result& result : run.results) {
    text += PrintResult(result, options.diff);
  }
  for (const std::string& path : run.unused_fixtures) {
    text += fmt::format("FAIL  {}: no test uses this fixture\n", path);
  }
  if (options.whole || options.coverage) text += Lacking(coverage);
  if (options.coverage) text += PrintCoverage(coverage);
  return text + Totals(run);
}

}  // namespace inquest::ruletests
