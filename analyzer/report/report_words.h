// SPDX-License-Identifier: Apache-2.0
// The words for a finding's standing and for omitted lines; the other words are
// those of the rule files. Shared by all report formats.
#pragma once

#include <string>
#include <string_view>

#include "analyzer/findings/finding.h"
#include "analyzer/rules/model/rule_words.h"

namespace inquest::report {

using rules::Word;
std::string_view Word(findings::Standing standing);

// The line below a list that was cut; empty if all are shown.
std::string More(size_t shown, size_t all);

}  // namespace inquest::report
