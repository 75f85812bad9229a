// SPDX-License-Identifier: Apache-2.0
// The temporary folders of private copies. A process that is killed while it
// reads cannot remove its own; the next one that makes a copy does.
#pragma once

#include <string>

#include "base/status.h"

namespace inquest::trace {

class TemporaryFolder {
 public:
  TemporaryFolder() = default;
  // Makes one (0700) in TMPDIR, else /tmp, after it has removed those that dead
  // processes of this user left there.
  static Expected<TemporaryFolder> Make();
  TemporaryFolder(TemporaryFolder&& from) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&& from) noexcept;
  ~TemporaryFolder();  // removes the folder and its files

  const std::string& path() const { return path_; }  // ends with a slash

 private:
  std::string path_;
  int held_ = -1;  // locked as long as this process lives
};

}  // namespace inquest::trace
