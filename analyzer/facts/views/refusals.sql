-- SPDX-License-Identifier: Apache-2.0
-- Refused requests and the heaps that refused them. Filled by derive/oom.cc,
-- derive/dumped_heap.cc and analyzer/memory/refusals.

-- A request for memory that was refused, from a trace or from a log.
CREATE TABLE store_oom (
  oom INTEGER PRIMARY KEY,              -- number
  source TEXT NOT NULL,                 -- trace or log
  evidence TEXT NOT NULL,               -- row or line it comes from: memory_event:12,
                                        -- log_event:3
  process INTEGER,                      -- process.process, for traces
  rank INTEGER,                         -- of the launcher
  pid INTEGER,                          -- of the operating system
  device INTEGER,                       -- ordinal
  time INTEGER,                         -- nanoseconds since 1970
  requested_bytes INTEGER,              -- size of the refused request
  free_bytes INTEGER,                   -- free on the device, all processes counted
  total_bytes INTEGER,                  -- the device's size
  live_bytes INTEGER,                   -- held by this process on the device through the driver
                                        -- (traces)
  gap_bytes INTEGER,                    -- free inside the heap, in all its gaps (traces, dumps
                                        -- of a pool)
  unused_bytes INTEGER,                 -- free_bytes and what is free inside chunks that hold a
                                        -- live block (traces)
  largest_free_bytes INTEGER,           -- largest piece that could have been handed out
  other_bytes INTEGER,                  -- held on the device by others than this process
  allocated_bytes INTEGER,              -- live inside the framework's allocator
  reserved_bytes INTEGER,               -- held by the framework's allocator
  reserved_unallocated_bytes INTEGER,   -- reserved and not live
  process_bytes INTEGER,                -- held by this process on the device, as its log says
  limit_bytes INTEGER,                  -- what the allocator may use
  in_use_bytes INTEGER,                 -- live in TensorFlow's allocator
  survived INTEGER NOT NULL DEFAULT 0,  -- 1: the run continued after it
  max_in_use_bytes INTEGER,             -- most that ever was live in TensorFlow's allocator
  num_allocs INTEGER,                   -- requests that it had met until then
  max_alloc_bytes INTEGER,              -- the largest of these
  reason TEXT,                          -- why it was refused, by the trace alone: capacity,
                                        -- fragmentation, other-process (it would have fitted
                                        -- without it), pool-reserve (or into what a framework's
                                        -- pool held idle), limit (the device had room) or leak
                                        -- (it would have fitted without what leaked)
  missing_bytes INTEGER,                -- the margin: how many more, free or in one piece,
                                        -- would have served it
  fragmentation REAL,                   -- 1 - largest_free_bytes / unused_bytes: 0 where all
                                        -- that is free is one piece
  blocking_blocks INTEGER,              -- of a fragmented heap: how many live blocks stand in
                                        -- the way where fewest bytes do (oom_blocker)
  blocking_bytes INTEGER,               -- size of these
  segment_bytes INTEGER                 -- what PyTorch's pool has to ask the driver for where no
                                        -- free block serves the request: 20 MiB for one of 1 to
                                        -- 10 MiB
);

-- The live blocks that blocked a request which a fragmented heap refused: of
-- all adjacent blocks that would have made room, those with the fewest bytes.
CREATE TABLE store_oom_blocker (
  oom INTEGER NOT NULL,      -- oom.oom
  address INTEGER NOT NULL,  -- first byte
  bytes INTEGER NOT NULL,    -- size
  site INTEGER NOT NULL,     -- allocation_site.site
  age INTEGER NOT NULL       -- nanoseconds from its allocation to the refusal
);

-- What an earlier run in the same process (a model, trial, fold or cell that was
-- meant to be over) still held when a request of a later one was refused. The
-- later run is known by its repetition: code whose blocks are still live
-- allocates again after other work.
CREATE TABLE store_earlier_run (
  oom INTEGER,                   -- oom.oom; NULL: a framework's allocator refused
  framework_oom INTEGER,         -- framework_oom.id if it did
  process INTEGER NOT NULL,      -- process.process
  device INTEGER NOT NULL,       -- ordinal
  site INTEGER NOT NULL,         -- allocation_site.site of the largest block that the later run
                                 -- makes again
  later_site INTEGER NOT NULL,   -- allocation_site.site of its repetition
  function TEXT NOT NULL,        -- that made both
  caller TEXT,                   -- where the ways to it differ: the earlier run's function, NULL:
                                 -- they do not
  later_caller TEXT,             -- and the later run's
  bytes INTEGER NOT NULL,        -- of all that was made in the earlier run and is live
  blocks INTEGER NOT NULL,       -- how many
  begin_time INTEGER NOT NULL,   -- nanoseconds since 1970 of the first of them
  end_time INTEGER NOT NULL,     -- nanoseconds since 1970 of the last of them
  later_time INTEGER NOT NULL,   -- nanoseconds since 1970 when the later run began to allocate
  same_sizes INTEGER NOT NULL,   -- 1: it asked for the same sizes again
  older INTEGER NOT NULL,        -- 1: made before the record began, so nobody knows when; bytes
                                 -- are then those of code that allocates again
  range TEXT,                    -- the earlier run's range, where not code but ranges that the
                                 -- program named tell the runs
  later_range TEXT               -- and the later run's
);

-- The address space of a device at a refused request, or of a pool that was
-- dumped to a log: live blocks and gaps.
CREATE TABLE store_heap_block (
  oom INTEGER NOT NULL,      -- oom.oom
  address INTEGER NOT NULL,  -- first byte
  bytes INTEGER NOT NULL,    -- size
  state TEXT NOT NULL,       -- live or free
  memory_event INTEGER,      -- memory_event.id that made a live block
  site INTEGER,              -- allocation_site.site of a live block
  age INTEGER,               -- nanoseconds from its allocation to the refusal
  op TEXT                    -- the framework's operation that a dump names beside the block
);
