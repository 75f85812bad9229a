// SPDX-License-Identifier: Apache-2.0
// The run that was asked about last stays open, because the next question is
// usually about it and reading a long one takes seconds. It is read again when
// any of its files has changed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "cli/diagnosis_session.h"

namespace inquest::mcp {

class OpenRuns {
 public:
  // Refuses what is neither a file nor a folder: standard input is the
  // client's.
  Expected<cli::Session*> Open(const std::vector<std::string>& paths,
                               const std::vector<std::string>& logs);
  // The same, with its verdict.
  Expected<cli::Session*> Diagnosed(const std::vector<std::string>& paths,
                                    const std::vector<std::string>& logs);

 private:
  std::string what_;  // is open, with the state of its files
  std::unique_ptr<cli::Session> session_;
  bool diagnosed_ = false;
};

}  // namespace inquest::mcp
