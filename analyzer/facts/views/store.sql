-- Where the analyzer keeps what it worked out. Private: rules and queries read
-- the fact views of facts.sql, never these tables.

CREATE TABLE store_trace (
  process INTEGER PRIMARY KEY,
  path TEXT NOT NULL,
  offset_ns INTEGER NOT NULL,      -- monotonic + offset = wall clock
  end_ns INTEGER NOT NULL,         -- monotonic
  clean_end INTEGER NOT NULL
);

CREATE TABLE store_run (
  directory TEXT NOT NULL, command TEXT, host TEXT, start_time INTEGER,
  end_time INTEGER, exit_code INTEGER, signal INTEGER
);

CREATE TABLE store_log_source (
  source INTEGER PRIMARY KEY, path TEXT NOT NULL, kind TEXT NOT NULL,
  lines INTEGER NOT NULL, bytes INTEGER NOT NULL, truncated INTEGER NOT NULL,
  incomplete INTEGER NOT NULL, note TEXT, first_time INTEGER, last_time INTEGER
);

CREATE TABLE store_log_event (
  id INTEGER PRIMARY KEY, signature TEXT NOT NULL, role TEXT NOT NULL,
  severity TEXT NOT NULL, cause TEXT, fact TEXT, source INTEGER NOT NULL, path TEXT NOT NULL,
  line INTEGER NOT NULL, offset INTEGER NOT NULL, time INTEGER,
  time_error INTEGER NOT NULL, rank INTEGER, pid INTEGER, host TEXT,
  device INTEGER, text TEXT NOT NULL, figures TEXT NOT NULL,
  survived INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX store_log_event_by_signature ON store_log_event (signature);
CREATE INDEX store_log_event_by_place ON store_log_event (source, line);

CREATE TABLE store_log_line (
  source INTEGER NOT NULL, line INTEGER NOT NULL, offset INTEGER NOT NULL,
  text TEXT NOT NULL
);

CREATE TABLE store_oom (
  oom INTEGER PRIMARY KEY, source TEXT NOT NULL, evidence TEXT NOT NULL,
  process INTEGER, rank INTEGER, pid INTEGER, device INTEGER, time INTEGER,
  requested_bytes INTEGER, free_bytes INTEGER, total_bytes INTEGER,
  live_bytes INTEGER, gap_bytes INTEGER, largest_free_bytes INTEGER,
  other_bytes INTEGER, allocated_bytes INTEGER, reserved_bytes INTEGER,
  reserved_unallocated_bytes INTEGER, process_bytes INTEGER,
  limit_bytes INTEGER, in_use_bytes INTEGER, unused_bytes INTEGER,
  survived INTEGER NOT NULL DEFAULT 0, max_in_use_bytes INTEGER,
  num_allocs INTEGER, max_alloc_bytes INTEGER, reason TEXT,
  missing_bytes INTEGER, fragmentation REAL, blocking_blocks INTEGER,
  blocking_bytes INTEGER
);

CREATE TABLE store_heap_block (
  oom INTEGER NOT NULL, address INTEGER NOT NULL, bytes INTEGER NOT NULL,
  state TEXT NOT NULL, memory_event INTEGER, site INTEGER, age INTEGER,
  op TEXT
);

CREATE TABLE store_blocker (
  oom INTEGER NOT NULL, address INTEGER NOT NULL, bytes INTEGER NOT NULL,
  site INTEGER NOT NULL, age INTEGER NOT NULL
);

-- What was live when most was held (peak_facts.h).
CREATE TABLE store_peak_block (
  process INTEGER NOT NULL, device INTEGER NOT NULL, layer TEXT NOT NULL,
  address INTEGER NOT NULL, bytes INTEGER NOT NULL, site INTEGER,
  time INTEGER NOT NULL, freed_time INTEGER, life TEXT, carried INTEGER,
  given_back_time INTEGER
);

CREATE TABLE store_peak_site (
  process INTEGER NOT NULL, device INTEGER NOT NULL, layer TEXT NOT NULL,
  site INTEGER, blocks INTEGER NOT NULL, bytes INTEGER NOT NULL,
  largest_bytes INTEGER NOT NULL, oldest_age INTEGER NOT NULL,
  persistent_bytes INTEGER, step_bytes INTEGER, transient_bytes INTEGER,
  carried_bytes INTEGER, waiting_bytes INTEGER NOT NULL
);

CREATE TABLE store_peak_size (
  process INTEGER NOT NULL, device INTEGER NOT NULL, layer TEXT NOT NULL,
  least_bytes INTEGER NOT NULL, blocks INTEGER NOT NULL, bytes INTEGER NOT NULL
);

-- What a framework's pool held at its end or refusal (held_facts.h).
CREATE TABLE store_held_site (
  process INTEGER NOT NULL, device INTEGER NOT NULL, site INTEGER,
  blocks INTEGER NOT NULL, bytes INTEGER NOT NULL,
  first_time INTEGER NOT NULL, last_time INTEGER NOT NULL,
  tenths INTEGER NOT NULL, framework_oom INTEGER
);

CREATE TABLE store_device_ledger (
  process INTEGER NOT NULL, device INTEGER NOT NULL, time INTEGER NOT NULL,
  reason TEXT NOT NULL, used_bytes INTEGER NOT NULL,
  live_bytes INTEGER NOT NULL, other_bytes INTEGER,
  remainder_bytes INTEGER NOT NULL
);

CREATE TABLE store_replay_fault (
  process INTEGER NOT NULL, device INTEGER NOT NULL, layer TEXT NOT NULL,
  kind TEXT NOT NULL, count INTEGER NOT NULL, first_event INTEGER NOT NULL,
  first_time INTEGER NOT NULL
);

-- What logs and traces say of versions, in one form (version_seen.sql).
CREATE TABLE store_version_seen (
  what TEXT NOT NULL, version TEXT NOT NULL, number INTEGER NOT NULL,
  minor INTEGER NOT NULL, evidence TEXT, process INTEGER, source INTEGER,
  rank INTEGER, device INTEGER, host TEXT, time INTEGER
);

-- Frames of Python's tracebacks, and the tracebacks they make.
CREATE TABLE store_log_frame (
  source INTEGER NOT NULL, line INTEGER NOT NULL, rank INTEGER,
  file TEXT NOT NULL, file_line INTEGER, function TEXT NOT NULL
);

CREATE TABLE store_traceback (
  source INTEGER NOT NULL, line INTEGER NOT NULL, last_line INTEGER NOT NULL,
  rank INTEGER, frames INTEGER NOT NULL, file TEXT, file_line INTEGER,
  function TEXT, event INTEGER
);

-- Chunks of an allocator's dump, as they stand in the log.
CREATE TABLE store_log_chunk (
  source INTEGER NOT NULL, line INTEGER NOT NULL, rank INTEGER,
  address INTEGER NOT NULL, bytes INTEGER NOT NULL, free INTEGER NOT NULL,
  op TEXT
);

CREATE TABLE store_site (
  site INTEGER PRIMARY KEY, process INTEGER NOT NULL, device INTEGER NOT NULL,
  function TEXT NOT NULL, file TEXT, line INTEGER, chain TEXT NOT NULL,
  stack INTEGER NOT NULL, allocations INTEGER NOT NULL, frees INTEGER NOT NULL,
  failures INTEGER NOT NULL, allocated_bytes INTEGER NOT NULL,
  live_bytes INTEGER NOT NULL, peak_bytes INTEGER NOT NULL,
  live_blocks INTEGER NOT NULL, oldest_time INTEGER, steps_held INTEGER,
  short_lived INTEGER, short_lived_bytes INTEGER, short_lived_time INTEGER,
  short_lived_by_driver INTEGER
);

CREATE TABLE store_device_usage (
  process INTEGER NOT NULL, device INTEGER NOT NULL,
  allocations INTEGER NOT NULL, frees INTEGER NOT NULL,
  failed INTEGER NOT NULL, peak_bytes INTEGER NOT NULL,
  peak_time INTEGER NOT NULL, live_bytes INTEGER NOT NULL,
  capacity_bytes INTEGER, unknown_frees INTEGER NOT NULL,
  overlaps INTEGER NOT NULL, framework_allocations INTEGER,
  framework_frees INTEGER, framework_peak_bytes INTEGER,
  framework_peak_time INTEGER, framework_live_bytes INTEGER,
  framework_before_bytes INTEGER, contexts INTEGER
);

CREATE TABLE store_step (
  process INTEGER NOT NULL, step INTEGER NOT NULL, name TEXT NOT NULL,
  begin_time INTEGER NOT NULL, end_time INTEGER, live_bytes INTEGER,
  found_by TEXT NOT NULL
);

CREATE TABLE store_leak (
  process INTEGER NOT NULL, device INTEGER NOT NULL, site INTEGER NOT NULL,
  bytes_per_step INTEGER NOT NULL, first_step INTEGER NOT NULL,
  last_step INTEGER NOT NULL, growth_bytes INTEGER NOT NULL,
  share REAL NOT NULL, steps_to_full INTEGER, significance REAL NOT NULL
);

CREATE TABLE store_ending (
  died INTEGER NOT NULL, finished INTEGER NOT NULL, evidence TEXT,
  last_progress INTEGER, progress_count INTEGER NOT NULL
);

-- Where the ranks of a job wait for each other (stalls.cc).
CREATE TABLE store_collective_stall (
  stall INTEGER PRIMARY KEY, group_name TEXT NOT NULL, description TEXT,
  members INTEGER NOT NULL, seqnum INTEGER NOT NULL, optype TEXT,
  input_sizes TEXT, input_dtypes TEXT, time INTEGER, timeout_ms INTEGER,
  timed_out INTEGER NOT NULL, kind TEXT NOT NULL, entered_ranks TEXT NOT NULL,
  waiting INTEGER NOT NULL, missing_ranks TEXT, missing INTEGER NOT NULL,
  dumpless_ranks TEXT, odd_ranks TEXT, differs TEXT, expected TEXT, found TEXT
);

CREATE TABLE store_collective_rank (
  rank INTEGER PRIMARY KEY, process INTEGER NOT NULL, path TEXT NOT NULL,
  entries INTEGER NOT NULL, pending INTEGER NOT NULL,
  first_pending_time INTEGER, missing_from INTEGER NOT NULL, waits_for TEXT,
  role TEXT NOT NULL
);
