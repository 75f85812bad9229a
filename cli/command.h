// SPDX-License-Identifier: Apache-2.0
// What the commands of the program share: how they are registered, how they
// speak and with what exit code they end. One command, one file; main.cc holds
// their list.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "base/status.h"
#include "cli/arguments.h"

namespace inquest::cli {

// The exit codes of the program, but for `record`, which passes on its own
// command's.
enum ExitCode : int {
  kDone = 0,        // findings are data
  kNo = 1,          // the answer is no: --fail-on, lint, failed rule tests
  kBadUsage = 2,    // or unreadable input
  kBadRules = 3,    // a rule file with mistakes
  kIncomplete = 4,  // a limit was hit; the report is still written
  kBug = 5,
};

// Each adds its own to the commands of the program.
void AddRecord(Command program, const std::vector<std::string>& recorded);
void AddDiagnose(Command program);
void AddDiff(Command program);
void AddExplain(Command program);
void AddQuery(Command program);
void AddFacts(Command program);
void AddWhatif(Command program);
void AddImport(Command program);
void AddRules(Command program);

// Takes the command that `record` is to run off our own words, before they are
// parsed: what belongs to it is none of our options.
std::vector<std::string> TakeRecordedCommand(std::vector<std::string>* words);

int ExitCodeOf(const Status& status);
// Says it on stderr and returns the exit code that goes with it.
int Fail(const Status& status);
void Say(const Diagnostics& diagnostics);
// Whether the stream is a terminal and NO_COLOR is not set.
bool WantsColour(int fd);
// The file is written anew; an error says why it could not be.
Status WriteFile(const std::string& path, const std::string& text);
// Writes to stdout; a reader that went away is no error worth a word.
void Print(const std::string& text);

}  // namespace inquest::cli
