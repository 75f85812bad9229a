// SPDX-License-Identifier: Apache-2.0
#include "authoring/ruletests/junit.h"

#include <fmt/format.h>

#include "base/units.h"

namespace inquest::ruletests {
namespace {

std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : Printable(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string Body(const Result& result) {
  switch (result.state) {
    case State::kPassed:
      return "";
    case State::kTodo:
      return fmt::format("      <skipped message=\"{}\"/>\n",
                         Escaped("todo: " + result.test->todo));
    case State::kTodoPassed:
      return fmt::format(
          "      <failure message=\"{}\"/>\n",
          Escaped("passes, though its todo says: " + result.test->todo));
    case State::kBroken:
      return fmt::format("      <error message=\"{}\"/>\n",
                         Escaped(result.problem.message()));
    case State::kFailed:
      break;
  }
  std::string lines;
  for (const Difference& one : result.differences) {
    lines +=
        Escaped(one.key + ": expected " + one.expected + ", got " + one.got) +
        "\n";
  }
  return fmt::format(
      "      <failure message=\"{} difference(s)\">{}</failure>\n",
      result.differences.size(), lines);
}

std::string Case(const Result& result) {
  const std::string body = Body(result);
  const std::string head = fmt::format(
      "    <testcase name=\"{}\" classname=\"{}\" file=\"{}\" line=\"{}\" "
      "time=\"{:.3f}\"",
      Escaped(result.test->name), Escaped(result.file->path),
      Escaped(result.file->path), result.test->place.line, result.seconds);
  return body.empty() ? head + "/>\n"
                      : head + ">\n" + body + "    </testcase>\n";
}

struct Counts {
  int64_t tests = 0, failures = 0, errors = 0, skipped = 0;
  double seconds = 0;
};

void Add(const Result& result, Counts* counts) {
  ++counts->tests;
  counts->seconds += result.seconds;
  counts->errors += result.state == State::kBroken;
  counts->skipped += result.state == State::kTodo;
  counts->failures +=
      result.state == State::kFailed || result.state == State::kTodoPassed;
}

std::string Attributes(const Counts& counts) {
  return fmt::format(
      "tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" "
      "time=\"{:.3f}\"",
      counts.tests, counts.failures, counts.errors, counts.skipped,
      counts.seconds);
}

}  // namespace

std::string JUnitXml(const Run& run) {
  Counts all;
  std::string suites;
  for (size_t i = 0; i < run.results.size();) {
    const TestFile* file = run.results[i].file;
    Counts counts;
    std::string cases;
    for (; i < run.results.size() && run.results[i].file == file; ++i) {
      Add(run.results[i], &counts);
      Add(run.results[i], &all);
      cases += Case(run.results[i]);
    }
    suites += fmt::format("  <testsuite name=\"{}\" {}>\n{}  </testsuite>\n",
                          Escaped(file->path), Attributes(counts), cases);
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites "
      "name=\"inquest rules\" {}>\n{}</testsuites>\n",
      Attributes(all), suites);
}

}  // namespace inquest::ruletests
