// SPDX-License-Identifier: Apache-2.0
// The command line of the samples: "--name value" and "--flag", with a help
// text made from the options that are read. A wrong option is reported on
// stderr, exit code 2.
//
// Used by each sample's main. Sizes are bytes ("256M" and the like). Not
// thread-safe; made once at the start.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace samples {

class Options {
 public:
  Options(int argc, char** argv, std::string about);

  long Number(const char* name, long standard, const char* help);
  size_t Bytes(const char* name, size_t standard, const char* help);
  std::string Text(const char* name, const char* standard, const char* help);
  bool Flag(const char* name, const char* help);

  // Call after the last option was read: answers --help and refuses options
  // that were not read.
  void Finish();

 private:
  // The value after `name`, or null when it was not given.
  const char* Find(const char* name, bool has_value);
  [[noreturn]] void Refuse(const std::string& why);

  std::vector<std::string> arguments_;
  std::vector<bool> used_;
  std::string program_;
  std::string help_;
};

}  // namespace samples
