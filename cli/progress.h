// SPDX-License-Identifier: Apache-2.0
// Shows what the program is doing on the terminal's last line. Writes nothing
// if standard error is not a terminal, or in the first second. Made by Session
// for a stage of work; a separate thread writes, so the work need not call it
// often.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace inquest::cli {

class Progress {
 public:
  Progress() : Progress(std::string()) {}
  explicit Progress(std::string what);
  ~Progress();  // removes the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // "reading train.log"; `of` bytes in all, 0 for unknown.
  void Begin(std::string what, int64_t of = 0);
  // Reports the unpacked bytes read so far of the log at `path`.
  void Reading(const std::string& path, int64_t bytes);

 private:
  void Show();
  std::string Line() const;

  std::mutex mutex_;
  std::condition_variable wake_;
  std::string what_;
  std::string path_;  // being read
  int64_t bytes_ = 0;
  int64_t of_ = 0;
  bool ended_ = false;
  std::thread shower_;  // not running if nothing is shown
};

}  // namespace inquest::cli
