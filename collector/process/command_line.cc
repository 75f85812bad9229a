// SPDX-License-Identifier: Apache-2.0
#include "collector/process/command_line.h"

#include <fcntl.h>
#include <unistd.h>

#include <vector>

#include "base/secrets/secrets.h"

namespace inquest::collector {

std::string CommandLineOf(const std::string& pid) {
  std::string text(16'384, '\0');
  const std::string path = "/proc/" + pid + "/cmdline";
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  const ssize_t got = read(fd, text.data(), text.size());
  close(fd);
  text.resize(got > 0 ? static_cast<size_t>(got) : 0);
  while (!text.empty() && text.back() == '\0') text.pop_back();
  std::vector<std::string> words;
  for (size_t at = 0; at < text.size();) {
    words.emplace_back(text.c_str() + at);
    at += words.back().size() + 1;
  }
  std::string command;
  for (const std::string& word : MaskCommand(words)) {
    command += (command.empty() ? "" : " ") + word;
  }
  return command;
}

}  // namespace inquest::collector
