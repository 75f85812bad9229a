// SPDX-License-Identifier: Apache-2.0
// Shared by all commands: registration, messages and exit codes. One command,
// one file; main.cc has their list.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "base/status.h"
#include "cli/arguments.h"

namespace inquest::cli {

// The exit codes of the program, except `record`, which passes on the code of
// its command.
enum ExitCode : int {
  kDone = 0,        // findings are data
  kNo = 1,          // the answer is no: --fail-on, lint, failed rule tests
  kBadUsage = 2,    // or unreadable input
  kBadRules = 3,    // a rule file with errors
  kIncomplete = 4,  // a limit was hit; the report is still written
  kBug = 5,
};

// Each adds its command to the program.
void AddRecord(Command program, const std::vector<std::string>& recorded);
void AddDiagnose(Command program);
void AddReport(Command program);
void AddIngest(Command program);
void AddMerge(Command program);
void AddDiff(Command program);
void AddExplain(Command program);
void AddQuery(Command program);
void AddFacts(Command program);
void AddWhatif(Command program);
void AddImport(Command program);
void AddFleet(Command program);
void AddAttempts(Command program);
void AddExport(Command program);
void AddDoctor(Command program);
void AddMcp(Command program);
void AddManual(Command program, const Arguments* arguments);
void AddRules(Command program);

// Removes the command that `record` will run from our words before they are
// parsed: its options are not ours.
std::vector<std::string> TakeRecordedCommand(std::vector<std::string>* words);

int ExitCodeOf(const Status& status);
// Prints it on stderr and returns its exit code.
int Fail(const Status& status);
void Say(const Diagnostics& diagnostics);
// Whether the stream is a terminal with colours; NO_COLOR, CLICOLOR_FORCE and
// CLICOLOR decide first, in this order (terminal.cc).
bool WantsColour(int fd);
// Of the terminal, in columns; 0 if it is not a terminal, or does not say.
size_t WidthOf(int fd);
// False if it is a terminal and the locale is not one of UTF-8.
bool ShowsUnicode(int fd);
// Replaces the file; the error says why it could not be written.
Status WriteFile(const std::string& path, const std::string& text);
// Writes to stdout. Control characters and marks of direction, which come from
// paths, logs and traces, are escaped; ends of lines stay.
void Print(const std::string& text);
// The same with the sequences that set a colour.
void PrintInColour(const std::string& text);
// For text that is meant for a program.
void PrintAsItIs(const std::string& text);
// Before anything is opened: keeps what is opened from taking the number of a
// standard stream that is closed.
void ReserveStandardStreams();
// After all output: the exit code of the program, which is kBadUsage if stdout
// could not be written. A reader that has gone is not reported.
int AfterOutput(int exit_code);

}  // namespace inquest::cli
