// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace inquest::cli {

int ExitCodeOf(const Status& status) {
  switch (status.code()) {
    case StatusCode::kOk:
      return kDone;
    case StatusCode::kUsage:
    case StatusCode::kUnreadable:
      return kBadUsage;
    case StatusCode::kRules:
      return kBadRules;
    case StatusCode::kIncomplete:
      return kIncomplete;
    case StatusCode::kInternal:
      return kBug;
  }
  return kBug;
}

int Fail(const Status& status) {
  Say({FromStatus(status)});
  return ExitCodeOf(status);
}

void Say(const Diagnostics& diagnostics) {
  for (const Diagnostic& diagnostic : diagnostics) {
    const std::string text =
        Render(diagnostic, WantsColour(STDERR_FILENO)) + "\n";
    fwrite(text.data(), 1, text.size(), stderr);
  }
}

Status WriteFile(const std::string& path, const std::string& text) {
  FILE* file = fopen(path.c_str(), "w");
  const bool written = file != nullptr &&
                       fwrite(text.data(), 1, text.size(), file) == text.size();
  const bool closed = file != nullptr && fclose(file) == 0;
  if (written && closed) return Status::Ok();
  return Usage("cannot write '" + path + "': " + strerror(errno));
}

}  // namespace inquest::cli
