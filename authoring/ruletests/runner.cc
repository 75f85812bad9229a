// SPDX-License-Identifier: Apache-2.0
#include "authoring/ruletests/runner.h"

#include <re2/re2.h>

#include <algorithm>
#include <chrono>

namespace inquest::ruletests {
namespace {

// A rule that was stopped is a failure.
void AddLimits(const findings::Diagnosis& diagnosis,
               std::vector<Difference>* differences) {
  for (const findings::LimitHit& hit : diagnosis.limits) {
    differences->push_back({"limits", "none", hit.rule + " " + hit.what});
  }
}

State StateOf(const Test& test, bool met) {
  if (test.todo.empty()) return met ? State::kPassed : State::kFailed;
  return met ? State::kTodoPassed : State::kTodo;
}

// Counts the verdict of a passed test that expects one.
void CountVerdict(const Test& test, const findings::Diagnosis& diagnosis,
                  Coverage* coverage) {
  if (test.expect.verdict && !test.expect.verdict->causes.empty()) {
    const bool open = diagnosis.verdict.cause == "unknown";
    if (diagnosis.verdict.finding || !open) {
      coverage->AddVerdict(diagnosis.verdict.cause);
    }
  }
}

Result RunTest(const TestFile& file, const Test& test, Diagnoser* diagnoser,
               Fixtures* fixtures, Coverage* coverage) {
  const auto start = std::chrono::steady_clock::now();
  Result result;
  result.file = &file;
  result.test = &test;
  auto diagnosis = diagnoser->Diagnose(test.given, fixtures);
  if (!diagnosis.ok()) {
    result.state = State::kBroken;
    result.problem = diagnosis.status();
    return result;
  }
  result.differences = Compare(test.expect, *diagnosis);
  AddLimits(*diagnosis, &result.differences);
  result.state = StateOf(test, result.differences.empty());
  if (result.state == State::kPassed) {
    coverage->Add(*diagnosis);
    CountVerdict(test, *diagnosis, coverage);
  } else {
    result.diagnosis = diagnosis.Take();
  }
  const std::chrono::duration<double> took =
      std::chrono::steady_clock::now() - start;
  result.seconds = took.count();
  return result;
}

}  // namespace

int64_t Run::Count(State state) const {
  return std::count_if(results.begin(), results.end(),
                       [&](const Result& one) { return one.state == state; });
}

bool Run::ok() const {
  return Count(State::kPassed) + Count(State::kTodo) ==
             static_cast<int64_t>(results.size()) &&
         unused_fixtures.empty();
}

Expected<Run> RunTests(const std::vector<TestFile>& files,
                       const std::string& filter, Diagnoser* diagnoser,
                       Coverage* coverage) {
  const RE2 pattern(filter, RE2::Quiet);
  if (!pattern.ok()) {
    return Usage("--run '" + filter + "': " + pattern.error());
  }
  Run run;
  for (const TestFile& file : files) {
    Fixtures fixtures(file.fixtures);
    run.unread += file.unread;
    for (const Test& test : file.tests) {
      const std::string name = file.path + ": " + test.name;
      if (!RE2::PartialMatch(name, pattern)) continue;
      run.results.push_back(
          RunTest(file, test, diagnoser, &fixtures, coverage));
    }
    if (!filter.empty()) continue;
    for (std::string& path : fixtures.Unused()) {
      run.unused_fixtures.push_back(std::move(path));
    }
  }
  return run;
}

}  // namespace inquest::ruletests
