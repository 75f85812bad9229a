// SPDX-License-Identifier: Apache-2.0
// Finds sites that are the same in two runs though their lines moved: an edit
// moves every line below it. Sites are matched by the functions of their
// chains; where several have the same functions, those on equal lines first,
// unless all have moved, and the rest in the order of their lines. For
// compare_runs.cc. Pure.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace inquest::comparison {

// "train.py:57 in forward < train.py:80 in main" without its lines.
std::string WithoutLines(const std::string& chain);

// Pairs of a chain of the one run and the chain of the other that it became.
// Chains of only one run are left out.
std::vector<std::pair<std::string, std::string>> MatchSites(
    const std::vector<std::string>& good, const std::vector<std::string>& bad);

}  // namespace inquest::comparison
