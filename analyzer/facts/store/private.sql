-- SPDX-License-Identifier: Apache-2.0
-- The analyzer's private tables, in addition to those of the facts (../views).
-- Rules and queries read facts, never these tables.

CREATE TABLE store_trace (
  process INTEGER PRIMARY KEY,
  path TEXT NOT NULL,
  offset_ns INTEGER NOT NULL,  -- monotonic + offset = wall clock
  end_ns INTEGER NOT NULL,     -- monotonic
  clean_end INTEGER NOT NULL,
  state TEXT  -- ended, alive, vanished; NULL: unknown
);

-- Control groups of memory as `inquest record` read them, before the command and
-- after its end.
CREATE TABLE store_run_group (
  time INTEGER NOT NULL, path TEXT NOT NULL, limit_bytes INTEGER,
  used_bytes INTEGER, peak_bytes INTEGER, refusals INTEGER, ooms INTEGER,
  oom_kills INTEGER
);

-- The call stacks of allocation sites, and the share of each in its site's
-- figures: pictures divide a site by what its callers called.
CREATE TABLE store_site_stack (
  process INTEGER NOT NULL, device INTEGER NOT NULL, site INTEGER NOT NULL,
  stack INTEGER NOT NULL, allocations INTEGER NOT NULL,
  live_bytes INTEGER NOT NULL, peak_bytes INTEGER NOT NULL
);

-- Frames of Python's tracebacks, and the tracebacks they make.
CREATE TABLE store_log_frame (
  source INTEGER NOT NULL, line INTEGER NOT NULL, rank INTEGER,
  file TEXT NOT NULL, file_line INTEGER, function TEXT NOT NULL,
  dumped INTEGER NOT NULL
);
CREATE INDEX store_log_frame_by_place ON store_log_frame (source, line);

CREATE TABLE store_traceback (
  source INTEGER NOT NULL, line INTEGER NOT NULL, last_line INTEGER NOT NULL,
  rank INTEGER, frames INTEGER NOT NULL, file TEXT, file_line INTEGER,
  function TEXT, event INTEGER, phase TEXT, place TEXT
);

-- Frames of C++ stacks, and the stacks of which a frame tells something.
CREATE TABLE store_log_native_frame (
  source INTEGER NOT NULL, line INTEGER NOT NULL, rank INTEGER, depth INTEGER,
  function TEXT NOT NULL, library TEXT NOT NULL, file TEXT NOT NULL,
  file_line INTEGER
);

CREATE TABLE store_native_stack (
  source INTEGER NOT NULL, line INTEGER NOT NULL, last_line INTEGER NOT NULL,
  rank INTEGER, place TEXT NOT NULL
);

-- Chunks of an allocator's dump, as printed in the log.
CREATE TABLE store_log_chunk (
  source INTEGER NOT NULL, line INTEGER NOT NULL, rank INTEGER,
  address INTEGER NOT NULL, bytes INTEGER NOT NULL, free INTEGER NOT NULL,
  op TEXT
);

-- The clock that stamped each line of a log of which the rank or node is known.
CREATE VIEW store_event_clock AS
SELECT e.*, CASE WHEN e.host IS NULL THEN 'log:' || e.source
                 ELSE 'host:' || e.host END AS clock
  FROM store_log_event AS e JOIN store_log_source AS s USING (source)
 WHERE s.rank IS NOT NULL OR s.host IS NOT NULL;
