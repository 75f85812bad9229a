// SPDX-License-Identifier: Apache-2.0
// A test file (x.test.yaml) as plain data: what a test gives to the analysis
// and what it expects of the diagnosis. Made by test_loader.h, run by runner.h;
// docs/rule-tests.md describes the format. Sizes in bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/logs/reader/log_event.h"
#include "analyzer/rules/model/rule_model.h"

namespace inquest::ruletests {

// One call site of a synthetic process and its use of device memory.
struct Series {
  std::string site;  // its functions, innermost first: "Remember < Step < main"
  int64_t device = 0;
  int64_t hold = 0;        // allocated before the first step and kept
  int64_t pieces = 1;      // number of blocks
  int64_t free_every = 0;  // each n-th of them is freed again
  int64_t grow = 0;        // allocated in each step and kept …
  int64_t free = 0;        // … except this part, freed at the step's end
  int64_t scratch = 0;     // allocated in each step and freed at its end
  int64_t from = 0;        // first step
  int64_t steps = 0;       // number; 0: to the last
  rules::Place place;
};

// A request that is refused, the last of the process.
struct Refused {
  int64_t bytes = 0;
  std::string site;
  std::string kind = "device";  // as memory_event.kind
  int64_t device = 0;
  bool survived = false;  // all is freed and the request is repeated
  rules::Place place;
};

// A synthetic process: its allocations become a real trace.
struct Process {
  int64_t pid = 4242;
  std::optional<int64_t> rank;
  std::string gpu = "NVIDIA A100-SXM4-40GB";
  int64_t devices = 1;
  int64_t device_bytes = 0;
  int64_t other_bytes = 0;  // held by another process on each device
  int64_t other_pid = 999;
  std::string other_name = "python";
  int64_t steps = 0;
  std::vector<Series> series;
  std::optional<Refused> fail;
  rules::Place place;
};

struct GivenRows {
  std::string fact;
  std::vector<Figures> rows;
  rules::Place place;
};

struct GivenFiles {
  std::string glob;
  rules::Place place;
};

struct Given {
  std::vector<ingest::LogText> logs;
  std::vector<GivenFiles> files;
  std::vector<GivenRows> facts;
  std::string sql;
  rules::Place sql_place;
  std::vector<Process> processes;
  std::optional<int64_t> exit_code;
  std::optional<int64_t> signal;
  std::string state;  // alive, vanished: no end was written
  std::string command;
  std::string slurm_job;  // its id

  bool has_run() const { return exit_code || signal || !state.empty(); }
};

// What is expected of a finding or of the verdict; empty fields match anything.
struct FindingExpectation {
  std::vector<std::string> causes;  // one of them
  std::string rule;
  std::string role;  // root, contributing, symptom, unexplained, note
  std::string severity;
  std::string confidence;
  std::string evidence;  // part of a line or row of its evidence
  std::optional<int64_t> line;
  std::optional<int64_t> rank;
  std::optional<int64_t> device;
  Figures facts;
};

struct Pair {
  std::string what;  // a cause or the id of a rule, * matches anything
  std::string
      by;  // the finding that explains it, or a missing fact; may be empty
};

struct Expectation {
  std::optional<FindingExpectation> verdict;
  std::vector<FindingExpectation> findings;
  std::vector<Pair> explained;
  std::vector<std::string> absent;
  std::vector<Pair> skipped;
  Figures facts;  // of the verdict
  bool exact = false;
};

struct Test {
  std::string name;
  Given given;
  Expectation expect;
  std::string todo;  // why it still fails; empty: it must pass
  rules::Place place;
  std::string pointer;  // of its node in the file: /tests/3
};

struct TestFile {
  std::string path;
  std::string text;
  std::string fixtures;  // the folder of its fixtures, which need not exist
  std::vector<Test> tests;
  int64_t unread = 0;  // further tests, left out because of errors
};

}  // namespace inquest::ruletests
