// SPDX-License-Identifier: Apache-2.0
// The ring of a segment's file, read in pieces: all segments of a process may
// have 256 MiB, and a stranger's many times that without taking room on the
// disk. Used by journal_reader.cc only; one thread. Reads with pread and never
// maps, so that a file that shrinks meanwhile gives less and no SIGBUS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/input_file.h"

namespace inquest::trace {

class RingFile {
 public:
  explicit RingFile(InputFile file);

  // What the file has of `bytes` at `offset` of the ring: less where it ends.
  // `bytes` is at most kMaxPayload. Valid until the next call.
  std::string_view At(uint64_t offset, size_t bytes);
  // Why a read failed, an errno; 0: none did.
  int error() const { return error_; }

 private:
  void Load(uint64_t offset);

  InputFile file_;
  uint64_t end_;  // of the file, counted from the ring's beginning
  std::string piece_;
  uint64_t begin_ = 0;  // of the piece
  int error_ = 0;
};

}  // namespace inquest::trace
