-- SPDX-License-Identifier: Apache-2.0
-- Collective operations, from logs and from dumps of flight recorders.

-- Collective operations in logs.
CREATE TEMP VIEW collective AS
SELECT 'log_event:' || id AS evidence,    -- the line
       time,                              -- ? nanoseconds since 1970
       coalesce(CAST(figures ->> '$.rank' AS INTEGER), rank) AS rank,  -- ? that issued it
       CAST(figures ->> '$.seqnum' AS INTEGER) AS seqnum,  -- ? sequence number
       figures ->> '$.optype' AS optype,  -- ? ALLREDUCE, BROADCAST, …
       CAST(figures ->> '$.timeout_ms' AS INTEGER) AS timeout_ms,  -- ? of the watchdog
       signature                          -- that recognised it
  FROM store_log_event WHERE fact = 'collective';

-- Dumps of PyTorch's flight recorder: the collectives that a rank kept.
CREATE TEMP VIEW collective_dump AS
SELECT {d.process} AS process,             -- process.process
       d.id AS dump,                       -- number
       d.path,                             -- of the file
       d.rank,                             -- ? from the file's name, or from the groups in it
       d.version,                          -- of the format
       d.library_version AS nccl_version,  -- ? of the communication library
       d.entries,                          -- how many
       (SELECT count(*) FROM {trace}.collective_entry AS e
          LEFT JOIN {trace}.collective_entry AS b
            ON {b.process} = {e.process} AND b.id = e.batch
         WHERE {e.process} = {d.process} AND e.dump = d.id
           AND coalesce(b.state, e.state) <> 'completed') AS pending,
                                           -- how many of them were not completed, those of a
                                           -- completed batch left out
       d.fault                             -- ? why not all of it could be read
  FROM {trace}.collective_dump AS d;

-- Process groups, from each dump of a flight recorder.
CREATE TEMP VIEW collective_group AS
SELECT {g.process} AS process,  -- process.process
       g.dump,                  -- collective_dump.dump
       d.rank,                  -- ? of the dump
       g.pg,                    -- ? number of the group in that process
       g.name AS group_name,    -- ? NULL: a group that the dump does not name
       g.description,           -- ? default_pg, …
       g.ranks,                 -- ? JSON list of its ranks, numbered as in the job
       g.last_enqueued,         -- ? sequence number; of a group that also sends and receives it
                                -- may be of these, which are counted apart; -1 none
       g.last_started,          -- ? in the same way
       g.last_completed         -- ? in the same way
  FROM {trace}.collective_group AS g
  JOIN {trace}.collective_dump AS d
    ON {d.process} = {g.process} AND d.id = g.dump;

-- Operations that a flight recorder kept, one row for each operation and rank.
CREATE TEMP VIEW collective_entry AS
SELECT {e.process} AS process,              -- process.process
       e.id,                                -- number, in the recorder's order
       e.dump,                              -- collective_dump.dump
       d.rank,                              -- ? of the dump
       e.record,                            -- ? the recorder's own number
       e.pg,                                -- ? collective_group.pg
       e.group_name,                        -- ? of the process group
       e.description,                       -- ? of the process group
       e.collective_seq AS seqnum,          -- ? of the collective in its group
       e.p2p_seq AS p2p_seqnum,             -- ? of the point-to-point operation in its group
       e.op,                                -- ? number of the operation in its group, coalesced
                                            -- ones too
       CASE WHEN instr(substr(e.profiling_name,
                              instr(e.profiling_name, ':') + 1), ' ') > 0
            THEN substr(e.profiling_name, instr(e.profiling_name, ':') + 1,
                        instr(substr(e.profiling_name,
                                     instr(e.profiling_name, ':') + 1), ' ')
                        - 1)
            ELSE substr(e.profiling_name, instr(e.profiling_name, ':') + 1)
            END AS optype,                  -- all_reduce, send, …
       e.profiling_name,                    -- as recorded: nccl:send 0->1
       e.state,                             -- scheduled, started or completed
       e.is_p2p,                            -- 1: point-to-point
       e.retired,                           -- ? 1: the watchdog no longer waits for it; if not
                                            -- completed, it timed out
       e.created_ns + c.offset_ns AS time,  -- ? nanoseconds since 1970 when it was enqueued
       e.started_ns + c.offset_ns AS started_time,  -- ? when its start was noticed
       e.completed_ns + c.offset_ns AS completed_time,  -- ? when its end was noticed
       e.duration_ms,                       -- ? on the device
       e.timeout_ms,                        -- ? of the watchdog
       e.input_sizes,                       -- JSON: [[2048,5120]]
       e.output_sizes,                      -- JSON
       e.input_dtypes,                      -- JSON: ["BFloat16"]
       e.output_dtypes,                     -- JSON
       e.thread_name,                       -- ? that enqueued it
       e.stack,                             -- number of the call stack, 0 none
       e.batch,                             -- ? collective_entry.id of the operation that ends
                                            -- the batch it is part of: the recorder keeps the
                                            -- state of that one only
       coalesce(b.state, e.state) <> 'completed' AS pending
                                            -- 1: neither it nor its batch completed
  FROM {trace}.collective_entry AS e
  JOIN {trace}.collective_dump AS d
    ON {d.process} = {e.process} AND d.id = e.dump
  LEFT JOIN {trace}.collective_entry AS b
    ON {b.process} = {e.process} AND b.id = e.batch
  JOIN store_trace AS c ON c.process = {e.process};

-- Collectives in which ranks wait for each other, from the dumps of all their
-- flight recorders: of each process group the first that did not complete
-- everywhere and, if all ranks entered it, the first that some rank did not
-- enter. A send or a receive is among them where nothing else waits for a rank
-- that did not come, or that left no dump.
CREATE TABLE store_collective_stall (
  kind TEXT NOT NULL,           -- missing: some ranks did not enter; mismatch: they entered
                                -- with different operations, types or sizes; entered: all
                                -- entered and it did not complete; unknown: nobody is known to
                                -- be missing, but not all left whole dumps
  stall INTEGER PRIMARY KEY,    -- number, in the order of time
  group_name TEXT NOT NULL,     -- of the process group
  description TEXT,             -- of the process group
  members INTEGER NOT NULL,     -- how many ranks it has; 0 unknown
  seqnum INTEGER NOT NULL,      -- of the collective
  optype TEXT,                  -- as most ranks called it: all_reduce, …
  input_sizes TEXT,             -- JSON
  input_dtypes TEXT,            -- JSON
  time INTEGER,                 -- nanoseconds since 1970 when the first rank entered
  timeout_ms INTEGER,           -- of the watchdog
  timed_out INTEGER NOT NULL,   -- 1: a watchdog gave up on it
  entered_ranks TEXT NOT NULL,  -- with commas
  waiting INTEGER NOT NULL,     -- how many entered
  missing_ranks TEXT,           -- whose dumps show that they did not enter
  missing INTEGER NOT NULL,     -- how many
  dumpless_ranks TEXT,          -- whose dumps are missing or cut off
  odd_ranks TEXT,               -- of a mismatch: those that differ from most, or all
  differs TEXT,                 -- operation, type or size
  expected TEXT,                -- what most ranks called
  found TEXT                    -- what an odd rank called
);

-- What each rank with a dump of its flight recorder did while the others
-- waited.
CREATE TABLE store_collective_rank (
  role TEXT NOT NULL,             -- culprit: others wait for it, it waits for nobody, or it
                                  -- stands where its peers have passed; deadlock: in a ring of ranks that wait for each other; odd: it called
                                  -- something else than the others; waiting: it waits; idle:
                                  -- neither; unknown: its dump was cut off
  rank INTEGER PRIMARY KEY,       -- of the job
  process INTEGER NOT NULL,       -- process.process
  path TEXT NOT NULL,             -- of its dump
  entries INTEGER NOT NULL,       -- in its dump; 0: it had nothing under way
  pending INTEGER NOT NULL,       -- of these not completed
  first_pending_time INTEGER,     -- nanoseconds since 1970
  missing_from INTEGER NOT NULL,  -- how many stalled collectives, or point-to-point operations
                                  -- of others, it did not come to
  waits_for TEXT,                 -- ranks that it waits for, with commas
  waits_for_absent INTEGER NOT NULL,  -- how many of these are in collective_absent
  behind INTEGER NOT NULL DEFAULT 0,  -- how many collectives it has pending that a peer has
                                  -- completed, of kinds that need everybody's part
  behind_group TEXT,              -- of the first of these: name of its group
  behind_seqnum INTEGER,          -- its number
  behind_optype TEXT,             -- all_reduce, …
  behind_time INTEGER             -- nanoseconds since 1970 when the rank enqueued it
);

-- Ranks that others wait for though no dump of theirs, or only one that was cut
-- off, tells what they did.
CREATE TABLE store_collective_absent (
  state TEXT NOT NULL,       -- none: no dump is there; cut: one that was cut off
  rank INTEGER PRIMARY KEY,  -- of the job
  path TEXT,                 -- of the dump that was cut off
  waiting INTEGER NOT NULL   -- how many ranks wait for it
);
