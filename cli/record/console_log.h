// SPDX-License-Identifier: Apache-2.0
// console.log of a run: what the command wrote, in the order in which it
// arrived, within a budget of disk (console_parts.h says how). The first failed
// write ends it, since a log with a gap that nobody mentions would mislead; the
// caller tells the user. For the process that relays the output, one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cli/record/fd.h"

namespace inquest::record {

class ConsoleLog {
 public:
  static constexpr uint64_t kMaxBytes = uint64_t{64} << 20;

  // Keeps about `most` bytes: a quarter of them from the beginning, and at
  // least three eighths of the latest. False if the log could not be made;
  // error() says why.
  bool Open(const std::string& directory, uint64_t most = kMaxBytes);
  // Whole lines, so that no line is cut where output is left out. False only
  // for the write with which the log ended early.
  bool Write(std::string_view lines);
  // Puts the parts together. If the disk has no room they stay as they are.
  void Finish();

  bool is_open() const { return file_.ok(); }
  int fd() const { return file_.get(); }
  uint64_t bytes() const { return bytes_ - left_out(); }  // kept
  uint64_t left_out() const;
  const std::string& error() const { return error_; }

 private:
  bool NextPart();
  bool WritePart(std::string_view bytes);
  bool CopyParts(int to) const;
  size_t Fitting(std::string_view lines) const;

  std::string directory_;
  UniqueFd file_;       // console.log, later the part that is written
  uint64_t begin_ = 0;  // bytes of console.log once there are parts
  uint64_t older_ = 0;  // offset of the older part; 0: none
  uint64_t newer_ = 0;  // of the one that is written
  uint64_t part_limit_ = 0;
  uint64_t limit_ = 0;  // of the file that is written
  uint64_t in_file_ = 0;
  uint64_t bytes_ = 0;  // of the output
  std::string error_;
};

}  // namespace inquest::record
