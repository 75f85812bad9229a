-- SPDX-License-Identifier: Apache-2.0
-- Artefacts of jobs that stand still: stacks of processes, reports of NCCL's RAS
-- service, printed analyses of flight recorders.

-- Processes whose stacks were dumped (py-spy, faulthandler, gdb, Ray), and where
-- each stands.
CREATE TABLE store_stack_process (
  tool TEXT NOT NULL,         -- pyspy, faulthandler, gdb, digest (a list of top frames), unknown
  dump INTEGER PRIMARY KEY,   -- number, in the order of reading
  role TEXT NOT NULL,         -- holds-up: others wait for it; waits; stands; idle; repeated: a
                              -- later dump of the same process counts; failed: no stacks
  place TEXT NOT NULL,        -- collective, peer, engine, device, launch, backward, loader,
                              -- storage, lock, compile, setup, teardown, sleep, network,
                              -- background, abort, dumper, idle, user or none
  rank INTEGER,               -- of the job
  pid INTEGER,                -- of the operating system
  label TEXT,                 -- the file, node or worker that the dump names
  title TEXT,                 -- command line or process title
  source INTEGER NOT NULL,    -- log_source.source
  line INTEGER NOT NULL,      -- where its stacks begin
  threads INTEGER NOT NULL,   -- how many
  thread TEXT,                -- name of the one that speaks for it
  function TEXT,              -- in which it stands
  file TEXT,                  -- of that function, or its library
  file_line INTEGER,          -- in that file
  caller TEXT,                -- the program's line that led there: function (file:line)
  time_limit INTEGER NOT NULL -- 1: dumped because a time limit ran out
);

-- The stacks of all processes merged, outermost frame first: how many stand
-- below each frame.
CREATE TABLE store_stack_tree (
  parent INTEGER,               -- stack_tree.node; none for a root
  node INTEGER PRIMARY KEY,     -- number
  depth INTEGER NOT NULL,       -- 0 for a root
  function TEXT NOT NULL,       -- of the frame
  file TEXT,                    -- or its library
  file_line INTEGER,            -- in that file
  processes INTEGER NOT NULL,   -- that have this frame here
  who TEXT NOT NULL,            -- they: ranks, pids or labels
  ends INTEGER NOT NULL         -- how many of them stand in this very frame
);

-- What the stacks of all processes together show, the most telling first.
CREATE TABLE store_stack_hang (
  kind TEXT NOT NULL,           -- outlier: holds others up; alike: all wait in one collective;
                                -- apart: in different ones; waiting, peer, engine: one that
                                -- waits; lockstep: others stand at another line; standing: in
                                -- a call; timed-out: a time limit ran out; network: NCCL's
                                -- progress thread works; hidden: only NCCL's threads are shown;
                                -- aborted, native-abort: brought down; idle: nobody works
  hang INTEGER PRIMARY KEY,     -- number
  place TEXT NOT NULL,          -- as in stack_process
  who TEXT NOT NULL,            -- ranks, pids or labels of those that stand there
  processes INTEGER NOT NULL,   -- how many they are
  dumped INTEGER NOT NULL,      -- of how many processes there are stacks
  rank INTEGER,                 -- of the first of them
  pid INTEGER,                  -- of the first of them
  label TEXT,                   -- of the first of them
  function TEXT,                -- in which they stand
  file TEXT,                    -- of that function, or its library
  file_line INTEGER,            -- in that file
  site TEXT,                    -- function (file:line), with the program's line that led there
  words TEXT NOT NULL,          -- what one does there: waits for its data loader, …
  others TEXT,                  -- that wait, and where, most frequent first
  waiting INTEGER NOT NULL,     -- how many these are
  own_code INTEGER NOT NULL,    -- 1: the file is neither Python's own nor of a package
  repeated INTEGER NOT NULL,    -- 1: dumped twice, in the same place
  went_on INTEGER NOT NULL,     -- 1: output of success follows
  event INTEGER                 -- log_event.id of the frame's line
);

-- What reports of NCCL's RAS service show: text, JSON and its monitor.
CREATE TABLE store_ras_state (
  kind TEXT NOT NULL,           -- behind: fewer operations launched than by most; ahead: more;
                                -- missing: sent no data; missing-process: the same, of which no
                                -- rank is told; dead; status: ranks differ in it;
                                -- error: reported one; in-order: a whole report without remarks
  item INTEGER PRIMARY KEY,     -- number
  source INTEGER NOT NULL,      -- log_source.source
  line INTEGER NOT NULL,        -- where the report says so
  communicator TEXT,            -- its hash
  size INTEGER,                 -- ranks of the communicator
  who TEXT,                     -- ranks, or processes if their ranks are unknown
  ranks INTEGER NOT NULL,       -- how many
  rank INTEGER,                 -- the first of them, in the communicator
  pid INTEGER,                  -- of the first of them
  host TEXT,                    -- of the first of them
  gpus TEXT,                    -- of the first of them, as printed
  operation TEXT,               -- AllReduce, …
  launched INTEGER,             -- up to which number by them
  by_most INTEGER,              -- up to which by most
  most INTEGER,                 -- how many ranks these are
  said TEXT,                    -- the status or error
  time_limits INTEGER,          -- that RAS ran into while it asked
  event INTEGER                 -- log_event.id of the line
);

-- Printed analyses of PyTorch's flight recorders (torchfrtrace).
CREATE TABLE store_flight_text (
  kind TEXT NOT NULL,           -- missing: not all ranks came; mismatch: ranks differ; fewer: a
                                -- rank's column ends before the others'; started: an entry
                                -- that did not complete
  item INTEGER PRIMARY KEY,     -- number
  source INTEGER NOT NULL,      -- log_source.source
  line INTEGER NOT NULL,        -- of the heading
  seqnum INTEGER,               -- of the collective; of `fewer` the place in the table
  group_name TEXT,              -- of the process group, with its description
  optype TEXT,                  -- all_reduce, …
  who TEXT,                     -- the missing or odd ranks
  ranks INTEGER NOT NULL,       -- how many these are
  rank INTEGER,                 -- the first of them
  members INTEGER,              -- ranks of the group
  differs TEXT,                 -- of a mismatch: operation, size, type or state
  expected TEXT,                -- what most called
  found TEXT,                   -- what the odd ones called
  site TEXT,                    -- the program's line that called: function (file:line)
  event INTEGER                 -- log_event.id of the heading
);
