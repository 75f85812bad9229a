// SPDX-License-Identifier: Apache-2.0
#include "base/shell_words.h"

namespace inquest {

std::string ShellQuoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string ShellWord(std::string_view text) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
      "_-./:=@%+,";
  // zsh takes a word that begins with "=" for a command's path.
  const bool plain = !text.empty() && text.front() != '=' &&
                     text.find_first_not_of(kPlain) == text.npos;
  return plain ? std::string(text) : ShellQuoted(text);
}

}  // namespace inquest
