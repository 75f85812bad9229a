// SPDX-License-Identifier: Apache-2.0
// What a report quotes of a line: all of it, or of a very long one the part
// that says something. Progress bars, environments and JSON stand before an
// error as often as after it. Used by evidence_text.cc.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "base/figures.h"

namespace inquest::report {

// At most about `most` bytes, begun at a word; "…" stands for what is left
// out. The part begins with what a signature matched, where that is known and
// is not the whole line, and of a match that is longer both ends are quoted;
// else it is the one with the first of the figures, or without any the one with
// the first word that tells of an error.
std::string Excerpt(std::string_view text, const Figures& figures, size_t most,
                    std::pair<size_t, size_t> matched = {});

}  // namespace inquest::report
