// SPDX-License-Identifier: Apache-2.0
// Finds test files and the rule files beside them. Called by `rules test` with
// the paths of the command line; reads whole test files, opens no fixture.
#pragma once

#include <string>
#include <vector>

#include "analyzer/rules/load/loader.h"
#include "base/status.h"

namespace inquest::ruletests {

struct FoundFiles {
  std::vector<rules::RuleSource> rules;  // to be tested
  std::vector<rules::RuleSource> tests;
  bool whole_folder = false;  // a folder was named, not single files
};

// PATH may be a folder (with its subfolders), a rule file, whose test file is
// then the one beside it, or a test file.
Expected<FoundFiles> FindTests(const std::vector<std::string>& paths);

}  // namespace inquest::ruletests
