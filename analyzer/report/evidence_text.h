// SPDX-License-Identifier: Apache-2.0
// Evidence and figures of a finding as text. Lengths are bounded, and what came
// from logs is made printable.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/findings/finding.h"
#include "analyzer/report/painter.h"

namespace inquest::report {

constexpr size_t kMaxLineWidth = 300;  // bytes of a quoted line
constexpr size_t kMaxEvidence = 5;     // pieces shown at once

// Keeps one of several lines that differ only in numbers, as those of many
// threads do.
std::vector<findings::Evidence> WithoutRepeats(
    const std::vector<findings::Evidence>& evidence);

// "  runs/train.log:12: [rank 3] the line", or the row of a trace in words. Of
// a very long line the part with the figures, or its beginning where `told`
// has the rest; of the path of the line above, its last part.
std::string EvidenceLine(const findings::Evidence& evidence,
                         const Figures& figures, std::string_view path_above,
                         std::string_view told = {});

// "Why" and the first `most`, one of several lines that differ only in numbers.
std::string EvidenceListText(const findings::Finding& root,
                             const Painter& paint, size_t most = kMaxEvidence);

struct NamedText {
  std::string name;
  std::string text;  // the value: sizes and durations as people write them
};

constexpr size_t kMaxFigures = 20;  // on a page
constexpr size_t kAllFigures = 1000;

constexpr size_t kMaxFigureWidth = 80;  // bytes
// The first `most` of them, printable, each of at most `width` bytes.
std::vector<NamedText> FigureTexts(const Figures& figures,
                                   size_t most = kMaxFigures,
                                   size_t width = kMaxFigureWidth);

// All of them, in two columns.
std::string FiguresText(const Figures& figures, const Painter& paint);

}  // namespace inquest::report
