// SPDX-License-Identifier: Apache-2.0
// `rules test --update`: replaces failed expectations by the actual results and
// changes no other byte of the file. Works on text; the caller writes the file.
// Tests that cannot be updated are reported, with the reason.
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

// `results` are those of this file; only failed ones are updated.
Update UpdateExpectations(const TestFile& file,
                          const std::vector<const Result*>& results);

}  // namespace inquest::ruletests
