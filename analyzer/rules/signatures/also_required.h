// SPDX-License-Identifier: Apache-2.0
// The words that a pattern needs besides common literals. Called by
// signature_literals.cc.
#pragma once

#include <string>
#include <vector>

namespace inquest::rules {

// As in Literals::also; `any` as there.
std::vector<std::string> AlsoRequired(const std::string& pattern,
                                      const std::vector<std::string>& any);

}  // namespace inquest::rules
