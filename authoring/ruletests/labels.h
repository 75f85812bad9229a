// SPDX-License-Identifier: Apache-2.0
// The labels of a corpus: a folder with NAME.log files and labels.jsonl, one
// JSON object per line (id, cause, also, hard, facts; others are ignored).
#pragma once

#include <string>
#include <vector>

#include "base/figures.h"
#include "base/status.h"

namespace inquest::ruletests {

struct Label {
  std::string id;
  std::string log;    // path of its log
  std::string cause;  // the first of the accepted ones
  std::vector<std::string> also;
  bool hard = false;
  Figures facts;
};

// An error names the invalid line or the missing log.
Expected<std::vector<Label>> ReadLabels(const std::string& folder);

}  // namespace inquest::ruletests
