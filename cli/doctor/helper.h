// SPDX-License-Identifier: Apache-2.0
// Work in a child process, because it may hang (a driver), crash or print. The
// parent waits no longer than it wants to; a child that does not end is killed,
// and left alone if even that does not end it.
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace inquest::doctor {

class Helper {
 public:
  // Starts `work` in a child; what it writes to `fd` is its answer. It ends by
  // returning, or by exec.
  explicit Helper(const std::function<void(int fd)>& work);
  ~Helper();
  Helper(const Helper&) = delete;
  Helper& operator=(const Helper&) = delete;

  // What it wrote until its end or until `deadline`, at most 1 MiB.
  std::string AnswerUntil(std::chrono::steady_clock::time_point deadline);
  // It wrote nothing more: it ended or closed its side.
  bool finished() const { return finished_; }

 private:
  int pid_ = -1;
  int fd_ = -1;
  bool finished_ = false;
};

}  // namespace inquest::doctor
