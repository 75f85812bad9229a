// SPDX-License-Identifier: Apache-2.0
// `rules test --update`: replaces failed expectations by the actual results and
// leaves every other byte of the file as it was. Works on text; the caller
// writes the file. What cannot be updated is reported, with the reason.
#pragma once

#include <string>
#include <vector>

#include "authoring/ruletests/runner.h"

namespace inquest::ruletests {

struct Update {
  std::string text;  // of the whole file
  int64_t tests = 0;
  std::vector<std::string> left;  // names of tests, and why
};

// `results` are those of this file; only failed ones are touched.
Update UpdateExpectations(const TestFile& file,
                          const std::vector<const Result*>& results);

}  // namespace inquest::ruletests
