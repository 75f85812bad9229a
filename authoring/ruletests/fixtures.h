// SPDX-License-Identifier: Apache-2.0
// The files that a test may read: only those in the folder x.test beside
// x.test.yaml, even if an untrusted test file contains links or dots. Remembers
// which were used, because a fixture that no test names is an error. Sizes are
// bounded.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "authoring/ruletests/test_model.h"
#include "base/diagnostic.h"
#include "base/status.h"

namespace inquest::ruletests {

class Fixtures {
 public:
  // Lists the folder; one that does not exist has no files.
  explicit Fixtures(const std::string& folder);

  // Paths that match, sorted. An error if the glob leaves the folder or matches
  // nothing.
  Expected<std::vector<std::string>> Find(const std::string& glob);
  // Those that Find never returned.
  std::vector<std::string> Unused() const;

 private:
  std::string folder_;
  Status unread_;                   // why the folder was not listed
  std::vector<std::string> files_;  // relative to the folder
  std::set<std::string> used_;
};

// The text of a fixture that holds SQL.
Expected<std::string> ReadText(const std::string& path);

}  // namespace inquest::ruletests
