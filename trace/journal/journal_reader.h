// SPDX-License-Identifier: Apache-2.0
// Reads the journal of a dead process, or the header of a living one's. Used by
// finish.cc. Reads the file with pread and never maps it, so that a file that
// shrinks meanwhile is an error and not a SIGBUS; every number is checked
// against the file's size. Never writes.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "trace/journal/journal.h"
#include "trace/journal/journal_format.h"

namespace inquest::trace {

class JournalReader {
 public:
  struct Recovered {
    uint64_t next = 0;     // the ticket after the last one visited
    uint64_t records = 0;  // visited
    uint64_t torn =
        0;  // reserved and never committed, or missing in a cut file
  };

  // The error says what is wrong with an empty, truncated, foreign or newer
  // file.
  static Expected<JournalReader> Open(const std::string& path);

  const JournalHeader& header() const {
    return *reinterpret_cast<const JournalHeader*>(page_->bytes);
  }
  // Visits the committed records from ticket `from` on, in order; reservations
  // whose writers died are skipped and counted.
  Recovered Recover(uint64_t from, const Journal::Visitor& visit) const;

  // Whether the recording process still exists. On the same machine its pid and
  // start time decide; from another pid namespace the lock on the file; from
  // another machine whether the last heartbeat is younger than a minute.
  bool ProcessAlive() const;

 private:
  struct Page {
    alignas(64) unsigned char bytes[kJournalHeaderSize];
  };
  uint64_t WordAt(uint64_t ticket) const;
  Status ReadHeader(int fd, uint64_t size);
  Status ReadRing(int fd, uint64_t size);

  std::string path_;
  std::unique_ptr<Page> page_;
  std::string ring_;  // as much of the ring as the file has
  bool locked_ = false;
};

}  // namespace inquest::trace
