// SPDX-License-Identifier: Apache-2.0
// The findings of `inquest doctor` as text and as JSON.
#include <fmt/format.h>

#include <algorithm>

#include "base/json_text.h"
#include "cli/doctor/doctor.h"

namespace inquest::doctor {
namespace {

const char* Word(State state) {
  switch (state) {
    case State::kOk:
      return "ok";
    case State::kNote:
      return "note";
    case State::kWarning:
      return "warning";
    case State::kProblem:
      return "problem";
  }
  return "";
}

const char* Colour(State state) {
  switch (state) {
    case State::kOk:
      return "\x1b[32m";
    case State::kNote:
      return "\x1b[0m";
    case State::kWarning:
      return "\x1b[33m";
    case State::kProblem:
      return "\x1b[31m";
  }
  return "";
}

size_t Count(const Checks& checks, State state) {
  return static_cast<size_t>(
      std::count_if(checks.begin(), checks.end(),
                    [state](const Check& one) { return one.state == state; }));
}

std::string Plural(size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

// The answer in a sentence: the first problem decides.
std::string Answer(const Checks& checks) {
  const size_t problems = Count(checks, State::kProblem);
  const size_t warnings = Count(checks, State::kWarning);
  if (problems > 0) {
    return "a job here would fail, or not be recorded: " +
           Plural(problems, "problem") +
           (warnings > 0 ? ", " + Plural(warnings, "warning") : "");
  }
  return "a job here would run and be recorded" +
         (warnings > 0 ? "; " + Plural(warnings, "warning") : std::string());
}

}  // namespace

std::string DoctorText(const Checks& checks, bool colour) {
  size_t width = 0;
  for (const Check& check : checks) width = std::max(width, check.name.size());
  std::string text = Answer(checks) + "\n";
  for (const Check& check : checks) {
    const std::string word = fmt::format("{:<7}", Word(check.state));
    text += fmt::format("{:<{}}  {}  {}\n", check.name, width,
                        colour ? Colour(check.state) + word + "\x1b[0m" : word,
                        check.text);
    if (!check.next.empty()) {
      text += fmt::format("{:{}}  next: {}\n", "", width + 9, check.next);
    }
  }
  return text;
}

std::string DoctorJson(const Checks& checks, const std::string& version) {
  nlohmann::ordered_json all = {{"schema", "inquest.doctor/1"},
                                {"tool", "inquest " + version},
                                {"ok", WorstOf(checks) != State::kProblem},
                                {"answer", Answer(checks)},
                                {"checks", nlohmann::ordered_json::array()}};
  for (const Check& check : checks) {
    nlohmann::ordered_json one = {{"check", check.name},
                                  {"state", Word(check.state)},
                                  {"text", check.text}};
    if (!check.next.empty()) one["next"] = check.next;
    if (!check.facts.empty()) one["facts"] = check.facts;
    all["checks"].push_back(std::move(one));
  }
  return JsonText(all, 2) + "\n";
}

}  // namespace inquest::doctor
