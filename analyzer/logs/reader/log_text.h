// SPDX-License-Identifier: Apache-2.0
// Removes control sequences of terminals before matching: colour and title
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

// Whether a file with this beginning is not text: one byte in 25 is a control
// character that terminals do not use. Bytes above 127 are text in some
// encoding, and a crash of the machine leaves NULs in logs.
bool IsBinary(std::string_view head);

// A progress bar overwrites itself in one endless line. The parts between the
// overwrites (a carriage return, a long run of backspaces or NULs) are read as
// separate lines. Returns the end of the part that begins at `begin`; the
// separator's length goes to `gap`.
size_t EndOfPart(std::string_view line, size_t begin, size_t* gap);

}  // namespace inquest::ingest
