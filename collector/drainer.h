// The work of the drain's thread, without the thread: batches from the journal
// into the trace, and what is done between them. Used by drain.cc only, in that
// one thread.
#pragma once

#include <pthread.h>

#include <cstdint>

#include "collector/session.h"
#include "trace/trace_writer.h"

namespace inquest::collector {

class Drainer {
 public:
  // `in_sqlite` is held while SQLite works, so that no fork happens meanwhile.
  Drainer(Session* session, pthread_mutex_t* in_sqlite)
      : session_(session), in_sqlite_(in_sqlite) {}

  // False when there can be no trace; the session is switched off then.
  bool Open();
  // Everything that is there, in batches; false when the trace is given up,
  // after three failures in a row.
  bool DrainAll();
  // Drains when the journal is half full.
  void MakeRoom();
  // Counts, libraries, NVML and clocks, each when it is time.
  void Housekeep();
  // A last round, then the trace is made one file; false when it could not be.
  bool Finish();

 private:
  Status Batch(uint64_t* records);

  Session* session_;
  pthread_mutex_t* in_sqlite_;
  trace::TraceWriter writer_;
  int failures_ = 0;
  int64_t next_sample_ = 0;
  int64_t next_anchor_ = 0;
};

}  // namespace inquest::collector
