// SPDX-License-Identifier: Apache-2.0
// The figures of a finding that matter, as sentences: those that a person acts
// on (what was asked for, what was free, whose line, which versions) and that
// nothing above in the report says already. Names are those of the figures that
// rules share; others are listed by `-v` alone.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analyzer/findings/finding.h"

namespace inquest::report {

struct FigureSentences {
  std::vector<std::string> sentences;  // printable, without a line's end
  size_t others = 0;                   // figures that nothing shown says
};

// Of the verdict's finding, below its title, summary and first evidence.
FigureSentences SentencesOf(const findings::Diagnosis& diagnosis,
                            const findings::Finding& root);

}  // namespace inquest::report
