// SPDX-License-Identifier: Apache-2.0
// The work of the background thread, without the thread: batches from the
// journal into the trace, and what is done between them. Used by drain.cc only,
// in that one thread.
//
// A trace that cannot be written, because the disk is full, is tried again and
// again; meanwhile the journal keeps the records, then counts those it has no
// room for. Whoever opens the run next moves them. The session is switched off
// only if there is no journal on disk either.
#pragma once

#include <pthread.h>

#include <cstdint>
#include <string>

#include "collector/core/session.h"
#include "trace/store/trace_writer.h"

namespace inquest::collector {

class Drainer {
 public:
  // `in_sqlite` is held while SQLite works, so that no fork happens meanwhile.
  Drainer(Session* session, pthread_mutex_t* in_sqlite)
      : session_(session), in_sqlite_(in_sqlite) {}

  // Everything that is there by now, in batches; opens the trace if need be.
  // False when some could not be stored, for now.
  bool DrainAll();
  // Drains when the journal is half full.
  void MakeRoom();
  // Clocks, the journal, and what sources do between batches.
  void Housekeep();
  // A last round, then the trace is made one file; false when it could not be.
  // The journal stays: threads may still be writing.
  bool Finish();

 private:
  Status Open();
  Status Batch(uint64_t* records);
  Status StoreWhatIsThere();
  void NoteFailure(const Status& why);
  void ReportFailure();
  void NoteSuccess();

  Session* session_;
  pthread_mutex_t* in_sqlite_;
  trace::TraceWriter writer_;
  bool open_ = false;
  int failures_ = 0;  // in a row
  std::string why_;   // of the last one
  int64_t next_anchor_ = 0;
};

}  // namespace inquest::collector
