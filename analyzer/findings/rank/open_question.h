// SPDX-License-Identifier: Apache-2.0
// What a report shows if the cause is unknown: what each input was read as, its
// last lines, and lines that look like errors though no rule knows them
// (signatures of role suspect). Called by the verdict, as a place for a person
// to start reading; nothing is concluded from it.
#pragma once

#include "analyzer/facts/store/store.h"
#include "analyzer/findings/finding.h"

namespace inquest::findings {

struct OpenQuestionLimits {
  size_t suspects = 5;
  size_t last_lines = 3;  // of each log
  size_t inputs = 16;     // a job of many ranks has as many logs
};

Expected<OpenQuestion> FindOpenQuestion(facts::Store* store,
                                        const OpenQuestionLimits& limits = {});

// The first line of the block of such lines that stands last above that line,
// and near it; null if there is none.
const Evidence* LastErrorAbove(const OpenQuestion& question,
                               const Evidence& line);

}  // namespace inquest::findings
