// SPDX-License-Identifier: Apache-2.0
// console.log of a run: what the command wrote, byte for byte, in the order in
// which it arrived. The first failed write ends it, since a log with a gap
// would mislead; the caller tells the user.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cli/record/fd.h"

namespace inquest::record {

class ConsoleLog {
 public:
  // False if it could not be made; error() says why.
  bool Open(const std::string& directory);
  // False only for the write with which the log ended early.
  bool Write(std::string_view bytes);

  bool is_open() const { return file_.ok(); }
  uint64_t bytes() const { return bytes_; }
  const std::string& error() const { return error_; }

 private:
  UniqueFd file_;
  uint64_t bytes_ = 0;
  std::string error_;
};

}  // namespace inquest::record
