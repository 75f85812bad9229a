// SPDX-License-Identifier: Apache-2.0
// A message to the user about faulty input: one type, one renderer. Made by the
// loaders and the command line; never thrown, never printed on the way. Text is
// plain UTF-8; control characters in foreign input are escaped when it is
// rendered.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace inquest {

struct Diagnostic {
  enum class Level : uint8_t { kNote, kWarning, kError };

  Level level = Level::kError;
  std::string code;     // stable: R012; empty for errors that need none
  std::string message;  // what
  std::string file;     // where; empty: not about a file
  int line = 0;         // from 1; 0: the whole file
  int column = 0;       // from 1, in bytes
  std::string snippet;  // the line of text concerned, for the caret
  std::string reason;   // why it is wrong, if the message does not say
  std::string help;     // what to do next
};

using Diagnostics = std::vector<Diagnostic>;

Diagnostic FromStatus(const Status& status);
bool HasErrors(const Diagnostics& diagnostics);

// "error[R012]: …\n  --> file:3:7\n   | text\n   |   ^\n  help: …". `colour`
// only if the output is a terminal.
std::string Render(const Diagnostic& diagnostic, bool colour);

}  // namespace inquest
