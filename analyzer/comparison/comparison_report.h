// SPDX-License-Identifier: Apache-2.0
// The differences of two runs as text and as JSON. Only formats; text from runs
// is made printable.
#pragma once

#include <string>
#include <vector>

#include "analyzer/comparison/compare_runs.h"

namespace inquest::comparison {

struct Side {
  std::string path;            // as given
  std::string cause, summary;  // of its verdict
};

struct Comparison {
  Side good, bad;
  std::vector<Section> sections;
};

// The contract "inquest.diff/1".
std::string ComparisonJson(const Comparison& comparison);
// At most `most` differences of a section.
std::string ComparisonText(const Comparison& comparison, size_t most = 12);

}  // namespace inquest::comparison
