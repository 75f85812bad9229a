// SPDX-License-Identifier: Apache-2.0
// The figures of a finding that matter, as sentences: those that a person acts
// on (what was asked for, what was free, whose line, which versions) and that
// nothing above in the report says already. Names are those of the figures that
// rules share; others are listed by `-v` alone.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/figures.h"

namespace inquest::report {

struct FigureSentences {
  std::vector<std::string> sentences;  // printable, without a line's end
  size_t others = 0;                   // figures that nothing shown says
};

// `told`: what the report says above, as text.
FigureSentences SentencesOf(const Figures& figures, std::string_view told);

}  // namespace inquest::report
