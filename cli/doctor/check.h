// SPDX-License-Identifier: Apache-2.0
// What `inquest doctor` found, a row for each thing that a job needs. Made by
// the *_checks.h of this folder, printed by doctor_command.cc.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace inquest::doctor {

enum class State {
  kOk,
  kNote,     // worth knowing; nothing is lost
  kWarning,  // a job runs, but something is lost or may be in its way
  kProblem,  // a job, or its recording, fails: exit 1
};

struct Check {
  std::string name;  // driver, cupti, …
  State state = State::kOk;
  std::string text;       // a sentence
  std::string next = {};  // what to do, if anything
  nlohmann::ordered_json facts = nlohmann::ordered_json::object();
};
using Checks = std::vector<Check>;

// The environment that a job started here would get; empty if it is not set.
std::string Variable(const char* name);
// The folder whose /proc, /sys, /dev and /etc are looked at: for tests.
std::string SystemRoot();

}  // namespace inquest::doctor
