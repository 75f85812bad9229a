// SPDX-License-Identifier: Apache-2.0
// Removes what terminals interpret and matching must not see: colour and title
// sequences, backspaces, carriage returns, NULs. Linear in the text.
#pragma once

#include <string>
#include <string_view>

namespace inquest::ingest {

// Appends `raw` to `out` without escape sequences and NULs; a backspace removes
// the character before it.
void CleanText(std::string_view raw, std::string* out);

// Whether CleanText would change anything in the text.
bool NeedsCleaning(std::string_view text);

// A progress bar overwrites itself in one endless line. The parts between the
// overwrites (a carriage return, a long run of backspaces or NULs) are read as
// lines of their own. The end of the part that begins at `begin`; the
// separator's length goes to `gap`.
size_t EndOfPart(std::string_view line, size_t begin, size_t* gap);

}  // namespace inquest::ingest
