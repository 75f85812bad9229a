// SPDX-License-Identifier: Apache-2.0
// Reads a segment of the journal of a dead process, or the header of a living
// one's. Used by left_journal.cc. The ring is read in pieces (ring_file.h);
// every number is checked against the file's size. Never writes.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "trace/journal/journal_format.h"
#include "trace/journal/ring_file.h"
#include "trace/journal/segment.h"

namespace inquest::trace {

class JournalReader {
 public:
  struct Recovered {
    uint64_t next = 0;     // the ticket after the last one visited
    uint64_t records = 0;  // visited
    uint64_t torn =
        0;          // reserved and never committed, or missing in a cut file
    int error = 0;  // why a part could not be read, an errno
  };

  // The error says what is wrong with an empty, truncated, foreign or newer
  // file.
  static Expected<JournalReader> Open(const std::string& path);

  const JournalHeader& header() const {
    return *reinterpret_cast<const JournalHeader*>(page_->bytes);
  }
  // Prepared by the process, and then not needed.
  bool is_unused() const { return header().head.load() == 0; }
  // Visits the committed records from ticket `from` on, in order; reservations
  // whose writers died are skipped and counted.
  Recovered Recover(uint64_t from, const Segment::Visitor& visit);

  // Whether the recording process still exists, as far as it can be proven. It
  // is dead if this machine, in our own pid namespace, has no process of its
  // number and start, and nobody holds its lock on the file; the lock alone
  // tells of one in another namespace. The clocks of two machines prove
  // nothing, and a machine that was booted again looks like another one.
  enum class Life { kAlive, kDead, kUnknown };
  Life ProcessLife() const;
  // For kUnknown: whether it showed signs of life within the last minute, by
  // the clock of its machine and ours.
  bool LivedAMomentAgo() const;

 private:
  struct Page {
    alignas(64) unsigned char bytes[kJournalHeaderSize];
  };
  uint64_t WordAt(uint64_t offset);
  Status ReadHeader(int fd, uint64_t size);

  std::string path_;
  std::unique_ptr<Page> page_;
  std::unique_ptr<RingFile> ring_;
  bool locked_ = false;
};

}  // namespace inquest::trace
