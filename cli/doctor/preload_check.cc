// SPDX-License-Identifier: Apache-2.0
// Whether the collector can be loaded into a program here, by loading it.
#include <fmt/format.h>

#include "cli/doctor/checks.h"
#include "cli/record/collector_path.h"

namespace inquest::doctor {

void CheckPreload(const Machine& machine,
                  const std::optional<std::string>& said, Checks* checks) {
  Check check{"preload", State::kOk, "", "", {}};
  if (machine.collector.empty()) {
    check.state = State::kProblem;
    check.text = machine.why_no_collector;
    check.next = "inquest diagnose works without it, on logs";
    checks->push_back(std::move(check));
    return;
  }
  const std::string line =
      "LD_PRELOAD=" + record::PreloadValue(machine.collector, "");
  check.facts = {{"line", line}, {"collector", machine.collector}};
  if (!said) {
    check.state = State::kWarning;
    check.text = "a program with " + line + " did not start in time";
  } else if (!said->empty()) {
    check.state = State::kProblem;
    check.text = "a program with " + line +
                 " does not load it: " + said->substr(0, said->find('\n'));
    check.next =
        "the collector is built for this machine's C library or for a newer "
        "one: build it here, or in the image that the job uses";
  } else {
    check.text = "works: " + line + " python3 train.py";
  }
  if (Variable("INQUEST") == "off") {
    check.state = State::kProblem;
    check.text += "; INQUEST=off, so nothing would be recorded";
    check.next = "unset INQUEST";
  }
  checks->push_back(std::move(check));
}

}  // namespace inquest::doctor
