// SPDX-License-Identifier: Apache-2.0
// What goes to stdout, and whether it arrived.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/units.h"
#include "cli/command.h"

namespace inquest::cli {
namespace {

int first_failure = 0;  // the errno of the first write that failed

void Keep(bool written) {
  if (!written && first_failure == 0) first_failure = errno;
}

}  // namespace

void PrintAsItIs(const std::string& text) {
  Keep(fwrite(text.data(), 1, text.size(), stdout) == text.size());
}

void Print(const std::string& text) {
  PrintAsItIs(PrintableLines(text));
}

void PrintInColour(const std::string& text) {
  PrintAsItIs(PrintableLines(text, true));
}

void ReserveStandardStreams() {
  for (int fd = 0; fd < 3; ++fd) {
    if (fcntl(fd, F_GETFD) >= 0) continue;
    // open() returns the lowest free number, which is this one. Opened in the
    // wrong direction, so that using it fails as before.
    if (open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd) return;
  }
}

int AfterOutput(int exit_code) {
  Keep(fflush(stdout) == 0);
  if (first_failure == 0 && ferror(stdout) != 0) first_failure = EIO;
  // A reader that has seen enough, such as `head`, is not a failure.
  if (first_failure == 0 || first_failure == EPIPE) return exit_code;
  const int code = Fail(Usage(std::string("cannot write to standard output: ") +
                              strerror(first_failure))
                            .WithHint("what was printed is not complete"));
  return exit_code == kBadRules || exit_code == kBug ? exit_code : code;
}

}  // namespace inquest::cli
