// How a finding's standing is written in JSON and text; the other words of the
// contract are those of the rule files. Shared by all report formats.
#pragma once

#include <string_view>

#include "analyzer/findings/finding.h"
#include "analyzer/rules/words.h"

namespace inquest::report {

using rules::Word;
std::string_view Word(findings::Standing standing);

}  // namespace inquest::report
