// SPDX-License-Identifier: Apache-2.0
// Which shares of a job's folder a merge was given. Files are in other shares
// if there are more of them, so two divisions together would count some files
// twice and miss others.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "analyzer/diagnosis/part_file.h"
#include "base/status.h"

namespace inquest::cli {

class SharesGiven {
 public:
  // An error if `path` is of another division than those before.
  Status Add(const std::string& path, const diagnosis::PartInfo& info);
  // An error that names the shares of the division that were not given.
  Status Missing() const;

 private:
  std::string path_;  // of the last
  int64_t shares_ = 0;
  std::set<int64_t> given_;
};

}  // namespace inquest::cli
