// SPDX-License-Identifier: Apache-2.0
// Text as a word of a command line: for commands that are printed to be copied,
// for scripts and completions that are written. What a POSIX shell, bash, zsh
// and fish read back is the text itself; only fish takes two backslashes in a
// row for one. Pure.
#pragma once

#include <string>
#include <string_view>

namespace inquest {

// In single quotes, whatever it is.
std::string ShellQuoted(std::string_view text);
// The same, but a text that no shell would change stays as it is.
std::string ShellWord(std::string_view text);

}  // namespace inquest
