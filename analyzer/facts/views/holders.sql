-- SPDX-License-Identifier: Apache-2.0
-- Who holds device memory: sites, peaks, pools and leaks. Filled by
-- analyzer/memory, which replays the recorded events.

-- A place in the program that allocates device memory.
CREATE TABLE store_allocation_site (
  site INTEGER PRIMARY KEY,          -- number
  process INTEGER NOT NULL,          -- process.process
  device INTEGER NOT NULL,           -- ordinal
  function TEXT NOT NULL,            -- of the program that tells this site from the others: the
                                     -- innermost that no other site has; of Python with its
                                     -- place, as `train.py:57 in forward`
  file TEXT,                         -- source file, of Python or where debug information has it
  line INTEGER,                      -- source line
  chain TEXT NOT NULL,               -- its callers, innermost first, joined by ' < '
  stack INTEGER NOT NULL,            -- number of one of its call stacks
  allocations INTEGER NOT NULL,      -- how many succeeded
  frees INTEGER NOT NULL,            -- how many of them were freed
  failures INTEGER NOT NULL,         -- how many were refused
  allocated_bytes INTEGER NOT NULL,  -- all bytes it ever got
  live_bytes INTEGER NOT NULL,       -- held at the end of the trace
  peak_bytes INTEGER NOT NULL,       -- the most that it held at once
  live_blocks INTEGER NOT NULL,      -- never freed at the end of the trace
  oldest_time INTEGER,               -- nanoseconds since 1970 when the oldest of these was
                                     -- allocated
  steps_held INTEGER,                -- how many steps ended since then
  short_lived INTEGER,               -- how many were freed before the next step ended; NULL
                                     -- where there are no steps
  short_lived_bytes INTEGER,         -- all of these together
  short_lived_time INTEGER,          -- nanoseconds that they lived on the average
  short_lived_by_driver INTEGER      -- how many of these were cudaMalloc's and the like, whose
                                     -- free waits for the device
);

-- Blocks that were live at the memory peak of a device, or of a framework's
-- pool on it; the 50,000 largest of each.
CREATE TABLE store_peak_block (
  process INTEGER NOT NULL,  -- process.process
  device INTEGER NOT NULL,   -- ordinal
  layer TEXT NOT NULL,       -- device: what the driver handed out; pool: blocks of a
                             -- framework's pool
  address INTEGER NOT NULL,  -- first byte, or the handle of memory that has none
  bytes INTEGER NOT NULL,    -- size
  site INTEGER,              -- allocation_site.site, NULL: a pool's own memory
  time INTEGER NOT NULL,     -- nanoseconds since 1970 when it was allocated
  freed_time INTEGER,        -- nanoseconds since 1970, NULL: live at the end
  life TEXT,                 -- persistent (it outlived steps), step (what a step needs) or
                             -- transient (freed within a twentieth of a step); NULL where there
                             -- are no steps
  carried INTEGER,           -- 1: of life step or transient, and yet made in an earlier step
                             -- than that of the peak; allocated early or freed late, which of
                             -- the two only the uses of it would tell
  given_back_time INTEGER    -- nanoseconds since 1970 when the program gave it back, where that
                             -- was before the peak and the pool kept it for another stream
                             -- (late_free)
);

-- Who held what at the memory peak of a device, or of a framework's pool on it.
CREATE TABLE store_peak_site (
  process INTEGER NOT NULL,        -- process.process
  device INTEGER NOT NULL,         -- ordinal
  layer TEXT NOT NULL,             -- device or pool, as in peak_block
  site INTEGER,                    -- allocation_site.site, NULL: a pool's own memory
  blocks INTEGER NOT NULL,         -- how many
  bytes INTEGER NOT NULL,          -- of all of them
  largest_bytes INTEGER NOT NULL,  -- of the largest
  oldest_age INTEGER NOT NULL,     -- nanoseconds from the allocation of the oldest to the peak
  persistent_bytes INTEGER,        -- part of them, as in peak_block
  step_bytes INTEGER,              -- part of them
  transient_bytes INTEGER,         -- part of them
  carried_bytes INTEGER,           -- of step_bytes and transient_bytes, what was made in an
                                   -- earlier step, as in peak_block
  waiting_bytes INTEGER NOT NULL   -- what the program had given back and the pool kept for
                                   -- another stream
);

-- Who held what in a framework's pool at the last refusal that the program did
-- not recover from, or else at the end. For recordings, and for imports with
-- blocks. The last 10,000 freed blocks are known, so a program that freed more
-- than that after its refusal held more.
CREATE TABLE store_held_site (
  process INTEGER NOT NULL,     -- process.process
  device INTEGER NOT NULL,      -- ordinal
  site INTEGER,                 -- allocation_site.site, NULL: blocks without a stack, such as
                                -- those under 1 MiB unless all stacks were recorded
  blocks INTEGER NOT NULL,      -- how many
  bytes INTEGER NOT NULL,       -- of all of them
  first_time INTEGER NOT NULL,  -- nanoseconds since 1970 when the first of them was made
  last_time INTEGER NOT NULL,   -- nanoseconds since 1970 when the last of them was made
  tenths INTEGER NOT NULL,      -- in how many tenths of the pool's time they were made: few for
                                -- what is loaded at the start, 10 for what piles up
  framework_oom INTEGER         -- framework_oom.id of that refusal, NULL: at the end
);

-- What the blocks at the memory peak of a device, or of a framework's pool on
-- it, are for.
CREATE TABLE store_memory_category (
  process INTEGER NOT NULL,  -- process.process
  device INTEGER NOT NULL,   -- ordinal
  layer TEXT NOT NULL,       -- device or pool, as in peak_block
  category TEXT NOT NULL,    -- weights, gradients, optimizer, activations, workspace, NCCL or
                             -- other; two of them, where only their sum is known
  blocks INTEGER NOT NULL,   -- how many
  bytes INTEGER NOT NULL,    -- of all of them
  told_by TEXT NOT NULL      -- how: by names, code, sizes or lifetime
);

-- Sizes of the blocks at the memory peak.
CREATE TABLE store_peak_size (
  process INTEGER NOT NULL,      -- process.process
  device INTEGER NOT NULL,       -- ordinal
  layer TEXT NOT NULL,           -- device or pool, as in peak_block
  least_bytes INTEGER NOT NULL,  -- of the class: a power of two, up to the next one
  blocks INTEGER NOT NULL,       -- how many
  bytes INTEGER NOT NULL         -- of all of them
);

-- The use of a device's memory each time that the driver was queried.
CREATE TABLE store_device_ledger (
  process INTEGER NOT NULL,         -- process.process
  device INTEGER NOT NULL,          -- ordinal
  time INTEGER NOT NULL,            -- nanoseconds since 1970
  reason TEXT NOT NULL,             -- start, timer, failure, end
  used_bytes INTEGER NOT NULL,      -- on the device, by all processes
  live_bytes INTEGER NOT NULL,      -- held by this process in blocks that were recorded
  other_bytes INTEGER,              -- held by other processes, where the driver tells
  remainder_bytes INTEGER NOT NULL  -- what is left: contexts, modules and libraries, and others
                                    -- that nobody could name
);

-- Contradictions in a replayed trace: the trace lost events, or the program has
-- an error.
CREATE TABLE store_replay_fault (
  process INTEGER NOT NULL,      -- process.process
  device INTEGER NOT NULL,       -- ordinal
  layer TEXT NOT NULL,           -- device, handle or pool
  kind TEXT NOT NULL,            -- double_free, unknown_free or overlap
  count INTEGER NOT NULL,        -- how many
  first_event INTEGER NOT NULL,  -- memory_event.id of the first
  first_time INTEGER NOT NULL    -- nanoseconds since 1970
);

-- Memory that a recorded process held on a device over its life, replayed.
CREATE TABLE store_device_usage (
  process INTEGER NOT NULL,        -- process.process
  device INTEGER NOT NULL,         -- ordinal
  allocations INTEGER NOT NULL,    -- how many succeeded
  frees INTEGER NOT NULL,          -- how many
  failed INTEGER NOT NULL,         -- how many were refused
  peak_bytes INTEGER NOT NULL,     -- the most held at once
  peak_time INTEGER NOT NULL,      -- nanoseconds since 1970
  live_bytes INTEGER NOT NULL,     -- held at the end of the trace
  capacity_bytes INTEGER,          -- the device's size
  unknown_frees INTEGER NOT NULL,  -- frees of addresses that were not allocated
  overlaps INTEGER NOT NULL,       -- allocations that overlapped a live block
  framework_allocations INTEGER,   -- blocks that a framework's pool handed out, where they are
                                   -- recorded one by one
  framework_frees INTEGER,         -- how many of its blocks were freed
  framework_peak_bytes INTEGER,    -- most that was live in it at once
  framework_peak_time INTEGER,     -- nanoseconds since 1970
  framework_live_bytes INTEGER,    -- live in it at the end of the trace
  framework_before_bytes INTEGER,  -- live in it when the trace began; without them peak and
                                   -- live bytes are those of its own events
  contexts INTEGER                 -- that held memory on it at the peak; each costs some
                                   -- hundred megabytes beside, and one is enough
);

-- Training steps, with the memory held at their end: NVTX ranges named as steps
-- or, in a trace without them, repeating sequences of allocations, or else
-- epochs or other repeating ranges.
CREATE TABLE store_step (
  process INTEGER NOT NULL,     -- process.process
  step INTEGER NOT NULL,        -- number, from 0
  name TEXT NOT NULL,           -- as the program called it
  begin_time INTEGER NOT NULL,  -- nanoseconds since 1970
  end_time INTEGER,             -- nanoseconds since 1970, NULL: the process died in it
  live_bytes INTEGER,           -- held on all devices at its end
  found_by TEXT NOT NULL,       -- nvtx or allocations
  judged TEXT NOT NULL          -- steps, or unknown: nothing tells whether these are training
                                -- steps; step_candidate says why
);

-- What repeats in a process and could be its training steps, and how it was
-- judged. Only the last one that is steps or unknown is used as its steps.
CREATE TABLE store_step_candidate (
  process INTEGER NOT NULL,  -- process.process
  name TEXT NOT NULL,        -- of the ranges, or of what was found in the allocations
  found_by TEXT NOT NULL,    -- nvtx or allocations
  period REAL,               -- allocations in each, where they tell
  judged TEXT NOT NULL,      -- steps, unknown, layers, operators, autotuner, loader or
                             -- parts (micro-batches)
  why TEXT NOT NULL          -- what tells, or what is missing
);

-- A site whose live bytes grew from step to step until the end.
CREATE TABLE store_leak_suspect (
  process INTEGER NOT NULL,         -- process.process
  device INTEGER NOT NULL,          -- ordinal
  site INTEGER NOT NULL,            -- allocation_site.site
  bytes_per_step INTEGER NOT NULL,  -- robust slope of its live bytes
  first_step INTEGER NOT NULL,      -- from which step on it grew
  last_step INTEGER NOT NULL,       -- last whole step
  growth_bytes INTEGER NOT NULL,    -- live bytes gained from first_step to the end
  share REAL NOT NULL,              -- part of all growth on the device, 0 to 1
  steps_to_full INTEGER,            -- steps after first_step until the device is full at this
                                    -- pace
  full_step INTEGER AS (first_step + steps_to_full),
                                    -- the step in which the device is full at this pace
  significance REAL NOT NULL        -- of the growth against noise, in standard deviations
);

-- A site whose live bytes grew over most of a recording of which no steps are
-- known, while much more was allocated and given back. device -1: host memory.
CREATE TABLE store_growth_suspect (
  process INTEGER NOT NULL,         -- process.process
  device INTEGER NOT NULL,          -- ordinal, -1 for host memory
  site INTEGER NOT NULL,            -- allocation_site.site
  growth_bytes INTEGER NOT NULL,    -- live bytes gained from first_time to the end
  share REAL NOT NULL,              -- part of all growth on the device, 0 to 1
  first_time INTEGER NOT NULL,      -- nanoseconds since 1970 when it began
  last_time INTEGER NOT NULL,       -- nanoseconds since 1970 of the last event
  bytes_per_hour INTEGER NOT NULL,  -- the growth over this time
  significance REAL NOT NULL        -- of the growth against noise, in standard deviations
);

-- How the question whether memory leaks could be asked of a process.
CREATE TABLE store_leak_question (
  process INTEGER NOT NULL,  -- process.process
  judged TEXT NOT NULL,      -- steps, repetition (something repeats; nothing tells that it is
                             -- training steps), growth (against time and allocations) or none
  why TEXT NOT NULL          -- in words
);

-- What a leak suspect kept from step to step, for a chart: in long runs a row
-- stands for several steps.
CREATE TABLE store_leak_step (
  process INTEGER NOT NULL,  -- process.process
  device INTEGER NOT NULL,   -- ordinal
  site INTEGER NOT NULL,     -- allocation_site.site
  step INTEGER NOT NULL,     -- number of the step, of several the first
  bytes INTEGER NOT NULL     -- the least that the site held from its end to that of the next
);
