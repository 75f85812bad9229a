// SPDX-License-Identifier: Apache-2.0
// Finds lines that a terminal folded at its width and that were copied in that
// form: "KV cach" and "e is needed". The longest line of a log's beginning may
// have been cut; if several lines have exactly that length and the following
// lines read like their rest, they were. Used by the scanner.
#pragma once

#include <cstddef>
#include <string_view>

namespace inquest::ingest {

struct Folds {
  size_t width = 0;   // bytes of a cut line; 0: there are none
  bool sure = false;  // several were
};

// `head` is the log's beginning, a few hundred lines of it.
Folds FoldsOf(std::string_view head);

// "    ^^^^~~~~": below a traceback's source line, of any length.
bool IsUnderline(std::string_view line);

// Whether `rest` reads like the rest of `line`, which has the width. Both
// without their line ends.
bool Continues(std::string_view line, std::string_view rest, bool sure);

}  // namespace inquest::ingest
