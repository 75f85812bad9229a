// SPDX-License-Identifier: Apache-2.0
// Puts PyTorch's out-of-memory message together where an editor, a terminal or
// a notebook broke it over several lines, in words or between them and at any
// width: its figures stand in one sentence. The words of the message say what
// belongs to it. Used by the scanner; log_folds.h knows lines of one width.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace inquest::ingest {

// Whether the message begins in this line and does not end in it.
bool BeginsBrokenMessage(std::string_view text);
bool EndsBrokenMessage(std::string_view text);

// `text` and the line below it as one; nothing if that is of something else.
std::optional<std::string> JoinBroken(std::string_view text,
                                      std::string_view below);

}  // namespace inquest::ingest
