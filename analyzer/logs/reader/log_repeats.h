// SPDX-License-Identifier: Apache-2.0
// Counts errors that differ in digits alone. A log may repeat one a million
// times, with other numbers and times; after enough of them the rest say
// nothing new and are only counted, but for one in each 64 KiB and the last
// ones of the log. Lines that are not errors are log_thinner.h's to leave out.
// Internal to the log reader.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace inquest::ingest {

// Of a text with each run of digits as one.
uint64_t HashWithoutNumbers(std::string_view text);

class Repeats {
 public:
  // `most` of each are read.
  explicit Repeats(int64_t most) : most_(most), slots_(kSlots) {}

  // Whether the line says only what many before it have said.
  bool IsRepeat(std::string_view line);
  // The line last asked about is an error.
  void CountError() { slots_[last_].error = true; }
  // The line last asked about; for one that is kept until the next ones are
  // known, Resume makes it that again.
  size_t last() const { return last_; }
  void Resume(size_t line) { last_ = line; }
  // Another stretch of the log begins; `last`: nothing of it is left out.
  void NextStretch(bool last) {
    ++stretch_;
    at_end_ = last;
  }

 private:
  // A power of two. Two kinds of lines in one slot take turns: then both are
  // read.
  static constexpr size_t kSlots = 1 << 12;
  struct Slot {
    uint64_t hash = 0;
    int64_t count = 0;
    int64_t stretch = 0;  // in which one was last read
    bool error = false;
  };

  int64_t most_;
  int64_t stretch_ = 0;
  bool at_end_ = false;
  size_t last_ = 0;
  std::vector<Slot> slots_;
};

}  // namespace inquest::ingest
