// SPDX-License-Identifier: Apache-2.0
// The one way to open a file that is read: run.json, journals, logs, files of
// other tools. Only regular files are opened, and opening never waits: a named
// pipe, a folder, a socket or a device is refused, with what it is. Used by all
// readers, the collector's copy of trace/ included; any thread. A file that
// SQLite opens is checked here first. Nothing is written.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace inquest {

// Whether the last name of a path may be a symbolic link. In a run's directory
// it may not: the directory's author would choose what is read. A path
// that the user names may be one.
enum class Links : uint8_t { kFollow, kRefuse };

class InputFile {
 public:
  // `what` is the file's kind for the message, as in "the log". Besides regular
  // files, <(command) and /dev/stdin are opened if they are pipes.
  static Expected<InputFile> Open(std::string_view what,
                                  const std::string& path, Links links);
  ~InputFile();
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&&) = delete;

  int fd() const { return fd_; }
  // The caller closes it.
  int Release();
  const struct stat& facts() const { return facts_; }
  bool is_regular() const { return S_ISREG(facts_.st_mode); }

  // Appends what follows, up to `most` bytes.
  Status Read(size_t most, std::string* text) const;

 private:
  InputFile() = default;
  int fd_ = -1;
  struct stat facts_ = {};
  std::string name_;  // "the log x.txt"
};

// Whether the path can be read, for files that others open.
Status CheckInput(std::string_view what, const std::string& path, Links links);

// The whole file; one of more than `most` bytes is refused.
Expected<std::string> ReadInput(std::string_view what, const std::string& path,
                                Links links, size_t most);

// Up to `most` bytes from its beginning; empty if it cannot be read.
std::string ReadStart(const std::string& path, size_t most);

}  // namespace inquest
