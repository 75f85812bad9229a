-- SPDX-License-Identifier: Apache-2.0
-- Tables that only importers fill, for what only files of other tools contain.
-- A collector's trace does not have them, which saves it their pages; the facts
-- over them then have no rows.

-- The memory that a framework's allocator held from the driver at the end of
-- the trace, according to the allocator. From imported snapshots only.
CREATE TABLE pool_segment (
  id INTEGER PRIMARY KEY,
  device INTEGER NOT NULL,
  address INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  allocated_bytes INTEGER NOT NULL, -- in blocks handed out
  active_bytes INTEGER NOT NULL,    -- with those that a stream may still use
  requested_bytes INTEGER NOT NULL, -- requested in these blocks
  stream INTEGER NOT NULL,          -- the only one that may take blocks from it
  type TEXT NOT NULL,               -- small, large
  pool TEXT NOT NULL,               -- 0.0 the common pool, else a private one
  expandable INTEGER NOT NULL,      -- 1: grows in place
  stack INTEGER NOT NULL            -- stack.id, 0 none
);

-- The native half of call stacks whose frames a file names: what the innermost
-- function of Python called. Addresses are in the table stack. From imported
-- snapshots only.
CREATE TABLE native_frame (
  id INTEGER PRIMARY KEY,
  function TEXT NOT NULL
);

CREATE TABLE native_stack (
  stack INTEGER NOT NULL,           -- stack.id
  depth INTEGER NOT NULL,           -- 0 innermost
  frame INTEGER NOT NULL,           -- native_frame.id
  PRIMARY KEY (stack, depth)
) WITHOUT ROWID;

-- The blocks of these segments: each byte of a segment is in one of them.
CREATE TABLE pool_block (
  id INTEGER PRIMARY KEY,
  segment INTEGER NOT NULL,         -- pool_segment.id
  address INTEGER NOT NULL,
  bytes INTEGER NOT NULL,           -- as rounded up
  requested_bytes INTEGER NOT NULL, -- requested; for a free block, the last time
  state TEXT NOT NULL,              -- live, pending (freed, but in use by a stream), free
  stack INTEGER NOT NULL            -- stack.id, 0 none
);

-- What was live when a device memory profile was taken, one row per sample;
-- memory_event has the same allocations one by one. From imported profiles of
-- JAX only.
CREATE TABLE profile_sample (
  id INTEGER PRIMARY KEY,           -- in the order of the file
  kind TEXT NOT NULL,               -- buffer, executable
  device INTEGER NOT NULL,          -- ordinal; -1: unknown
  device_name TEXT NOT NULL,        -- as the profile has it, may be empty
  count INTEGER NOT NULL,           -- number of equal allocations
  bytes INTEGER NOT NULL,           -- of all of them; negative: size unknown
  stack INTEGER NOT NULL            -- stack.id, 0 none
);

-- What TensorFlow's allocator says about the chunks in pool_block. From
-- imported memory dumps only.
CREATE TABLE pool_chunk (
  block INTEGER PRIMARY KEY,        -- pool_block.id
  bin INTEGER NOT NULL,             -- of its free lists; -1 while in use
  op TEXT NOT NULL,                 -- operation that uses it or used it last
  step INTEGER NOT NULL,            -- in which it was requested; 0 unknown
  action INTEGER NOT NULL,          -- number of the allocator's last action on it
  freed_at INTEGER NOT NULL         -- value of its timing counter; 0 none
);

CREATE TABLE pool_bin (
  allocator TEXT NOT NULL,
  bin INTEGER NOT NULL,
  bytes INTEGER NOT NULL,           -- of chunks of this bin's size, used ones included
  bytes_in_use INTEGER NOT NULL,
  chunks INTEGER NOT NULL,
  chunks_in_use INTEGER NOT NULL,
  PRIMARY KEY (allocator, bin)
) WITHOUT ROWID;

-- The allocator's own statistics at the moment of the dump.
CREATE TABLE pool_statistics (
  allocator TEXT PRIMARY KEY,       -- GPU_0_bfc
  device INTEGER NOT NULL,          -- -1: of host memory
  time_ns INTEGER NOT NULL,
  num_allocs INTEGER NOT NULL,      -- since the start
  bytes_in_use INTEGER NOT NULL,
  peak_bytes_in_use INTEGER NOT NULL,
  largest_alloc_bytes INTEGER NOT NULL,
  fragmentation REAL NOT NULL       -- 1 - largest free chunk / all free bytes
) WITHOUT ROWID;

-- Bytes in use after each of the allocator's last actions.
CREATE TABLE pool_history (
  action INTEGER PRIMARY KEY,
  bytes_in_use INTEGER NOT NULL
);

-- Blocks of a framework's pool that became free later than the program freed
-- them, because another stream had used them. From snapshots only.
CREATE TABLE late_free (
  id INTEGER PRIMARY KEY,
  device INTEGER NOT NULL,
  address INTEGER NOT NULL,
  bytes INTEGER NOT NULL,           -- requested
  requested_ns INTEGER NOT NULL,
  after_event INTEGER NOT NULL,     -- memory_event.id of the last event before
  completed_ns INTEGER,             -- NULL: not yet at the end
  free_event INTEGER,               -- memory_event.id of the free
  stack INTEGER NOT NULL            -- stack.id, 0 none
);

-- Dumps of flight recorders, one of each rank. From imports only.
CREATE TABLE collective_dump (
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL,
  rank INTEGER,                     -- NULL: neither the file's name nor the dump says
  version TEXT NOT NULL,            -- of the format
  library_version TEXT,             -- NCCL's
  entries INTEGER NOT NULL,
  fault TEXT                        -- why it could not be read to the end
);

-- Process groups, as each dump describes them.
CREATE TABLE collective_group (
  dump INTEGER NOT NULL,            -- collective_dump.id
  pg INTEGER,                       -- number in that process
  name TEXT,                        -- NULL: a status of a group without a name
  description TEXT,                 -- default_pg, …
  ranks TEXT,                       -- JSON list of the job's ranks, by their
                                    -- ranks in the group; NULL unknown
  last_enqueued INTEGER,            -- sequence numbers; of a group that sends
  last_started INTEGER,             -- and receives as well those may be of the
  last_completed INTEGER            -- point-to-point operations; -1 none
);

-- Operations that a flight recorder had kept, in its order.
CREATE TABLE collective_entry (
  id INTEGER PRIMARY KEY,
  dump INTEGER NOT NULL,            -- collective_dump.id
  record INTEGER,                   -- the recorder's own number
  pg INTEGER,                       -- collective_group.pg
  group_name TEXT,
  description TEXT,                 -- of the group
  collective_seq INTEGER,
  p2p_seq INTEGER,
  op INTEGER,                       -- number within the group, coalesced ones too
  profiling_name TEXT NOT NULL,     -- nccl:all_reduce, nccl:send 0->1
  state TEXT NOT NULL,              -- scheduled, started, completed
  is_p2p INTEGER NOT NULL,
  retired INTEGER,                  -- 1: the watchdog no longer waits for it
  created_ns INTEGER,               -- when enqueued
  started_ns INTEGER,               -- when its start was noticed
  completed_ns INTEGER,
  duration_ms REAL,
  timeout_ms INTEGER,
  input_sizes TEXT NOT NULL,        -- JSON: [[2048,5120]]
  output_sizes TEXT NOT NULL,
  input_dtypes TEXT NOT NULL,       -- JSON: ["BFloat16"]
  output_dtypes TEXT NOT NULL,
  thread_name TEXT,
  thread TEXT,
  stack INTEGER NOT NULL,           -- stack.id, 0 none
  batch INTEGER                     -- collective_entry.id of the operation that
                                    -- ends the batch this one is part of, and
                                    -- has its state; NULL none
);
