// SPDX-License-Identifier: Apache-2.0
// The work of the background thread, without the thread: moves batches from the
// journal into the trace and does what is due between them. Used by drain.cc
// only, in that one thread.
//
// A trace that cannot be written, because the disk is full, is tried again and
// again; meanwhile the journal keeps the records, then counts those it has no
// room for. The next command that opens the run moves them. The session is
// switched off only if there is no journal on disk either.
#pragma once

#include <pthread.h>

#include <cstdint>
#include <string>

#include "collector/core/session.h"
#include "trace/journal/process_clock.h"
#include "trace/store/trace_writer.h"

namespace inquest::collector {

class Drainer {
 public:
  // `in_sqlite` is held while SQLite works, so that no fork happens meanwhile.
  Drainer(Session* session, pthread_mutex_t* in_sqlite)
      : session_(session), in_sqlite_(in_sqlite) {}

  // Moves all records that are there now, in batches; opens the trace if
  // needed. False if some could not be stored yet.
  bool DrainAll();
  // Whether storing can wait: the process has just begun, and its journal has
  // room. Most processes that end soon are then stored at once, by Finish.
  bool CanWait() const;
  // Drains when the journal is half full.
  void MakeRoom();
  // Clocks, the journal, and the sources' work between batches.
  void Housekeep();
  // Drains a last time and makes the trace one file; false if that failed. The
  // journal stays: threads may still be writing.
  bool Finish();

 private:
  bool StoreAtOnce();
  Status WriteAtOnce(const std::string& path, uint64_t* next);
  uint64_t TraceBudget() const;
  Status Open();  // or anew, after the host closed its descriptors
  void GrowJournal();
  Status Batch(uint64_t* records);
  Status StoreBacklog();
  void NoteFailure(const Status& why);
  void ReportFailure();
  void NoteSuccess();
  void SaySpoiled();

  Session* session_;
  pthread_mutex_t* in_sqlite_;
  trace::TraceWriter writer_;
  bool open_ = false;
  int64_t begin_ns_ = trace::MonotonicNs();
  bool spoiled_said_ = false;
  int failures_ = 0;  // in a row
  std::string why_;   // of the last one
  int64_t next_anchor_ = 0;
};

}  // namespace inquest::collector
