// SPDX-License-Identifier: Apache-2.0
// Runs test files; a result for each test. Called by `rules test`; does not
// print or write.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "authoring/ruletests/coverage.h"
#include "authoring/ruletests/diagnoser.h"
#include "authoring/ruletests/expectation.h"

namespace inquest::ruletests {

enum class State : uint8_t {
  kPassed,
  kFailed,
  kTodo,        // fails, as its todo says
  kTodoPassed,  // passes although its todo says that it fails
  kBroken,      // could not be run: a glob without match, SQL that fails
};

struct Result {
  const TestFile* file = nullptr;
  const Test* test = nullptr;
  State state = State::kPassed;
  std::vector<Difference> differences;
  Status problem;                 // of a broken one
  findings::Diagnosis diagnosis;  // kept of those that did not pass
  double seconds = 0;
};

struct Run {
  std::vector<Result> results;
  std::vector<std::string> unused_fixtures;
  int64_t unread = 0;  // tests with errors, which were not run
  int64_t Count(State state) const;
  // Whether each test passed or failed as its author expected.
  bool ok() const;
};

// Tests whose "FILE: NAME" does not match `filter` (RE2; empty: all) are left
// out; then unused fixtures are not looked for.
Expected<Run> RunTests(const std::vector<TestFile>& files,
                       const std::string& filter, Diagnoser* diagnoser,
                       Coverage* coverage);

}  // namespace inquest::ruletests
