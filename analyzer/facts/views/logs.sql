-- SPDX-License-Identifier: Apache-2.0
-- Logs: their sources, the lines that signatures recognised, and Python's
-- tracebacks.

-- A log that was read.
CREATE TABLE store_log_source (
  source INTEGER PRIMARY KEY,   -- number, from 1
  path TEXT NOT NULL,           -- as given
  kind TEXT NOT NULL,           -- app or kernel
  lines INTEGER NOT NULL,       -- how many
  bytes INTEGER NOT NULL,       -- unpacked
  truncated INTEGER NOT NULL,   -- 1: ends in the middle of a line or of its packing
  incomplete INTEGER NOT NULL,  -- 1: a limit stopped the reading
  note TEXT,                    -- why
  first_time INTEGER,           -- nanoseconds since 1970
  last_time INTEGER,            -- nanoseconds since 1970
  rank INTEGER,                 -- whose log it is, by its name or its lines
  host TEXT,                    -- the node, by its name or its lines
  attempt INTEGER,              -- of the launcher, from 0, by its name
  world INTEGER                 -- how many ranks the job has, as its lines say
);

-- Where the last run begins in a log that others had written into before it.
CREATE TABLE store_log_last_run (
  source INTEGER PRIMARY KEY,   -- number of the log
  line INTEGER NOT NULL         -- number of the run's first line
);

-- A line that a signature recognised.
CREATE TABLE store_log_event (
  id INTEGER PRIMARY KEY,              -- number; in the order of reading
  signature TEXT NOT NULL,             -- id of the signature
  role TEXT NOT NULL,                  -- cause, symptom, confirm, context, progress, milestone,
                                       -- finish, advice, benign, suspect
  severity TEXT NOT NULL,              -- note, warning, error
  cause TEXT,                          -- what the signature names
  fact TEXT,                           -- which named fact it also fills
  source INTEGER NOT NULL,             -- log_source.source
  path TEXT NOT NULL,                  -- of the log
  line INTEGER NOT NULL,               -- number, from 1
  offset INTEGER NOT NULL,             -- of the line's first byte
  time INTEGER,                        -- nanoseconds since 1970
  time_error INTEGER NOT NULL,         -- uncertainty of it, nanoseconds
  rank INTEGER,                        -- from the line's prefix, or the figure of that name
  pid INTEGER,                         -- from the line's prefix, or the figure of that name
  host TEXT,                           -- from the line's prefix, or the figure of that name
  device INTEGER,                      -- figure of that name
  text TEXT NOT NULL,                  -- the line
  figures TEXT NOT NULL,               -- JSON object of the captures
  survived INTEGER NOT NULL DEFAULT 0, -- 1: the run continued after it
  clock_offset INTEGER NOT NULL DEFAULT 0,  -- how far the clock of `time` is ahead of the
                                            -- job's, nanoseconds
  clock_error INTEGER NOT NULL DEFAULT 0    -- uncertainty of that, nanoseconds
);
CREATE INDEX store_log_event_by_signature
    ON store_log_event (signature, source);
CREATE INDEX store_log_event_by_place ON store_log_event (source, line);

-- The figures of log_event one by one.
CREATE TEMP VIEW figure AS
SELECT e.id AS event,  -- log_event.id
       e.signature,    -- id of the signature
       f.key AS name,  -- of the figure
       f.value         -- of the figure
  FROM store_log_event AS e, json_each(e.figures) AS f;

-- Python's tracebacks in logs, with the innermost frame of the user's own
-- code.
CREATE TEMP VIEW traceback AS
SELECT t.source,            -- log_source.source
       t.line,              -- of its first frame
       t.last_line,         -- of its last frame
       t.rank,              -- ? from the lines' prefix
       t.frames,            -- how many
       t.file,              -- ? of the innermost frame that is neither Python's own nor of an
                            -- installed package
       t.file_line,         -- ? in that file
       t.function,          -- ? of that frame
       t.phase,             -- ? what the program was doing, as its frames prove: loading, engine,
                            -- capture, serving, forward, backward, optimizer, checkpoint, data,
                            -- import
       t.place,             -- ? the innermost frame that is not a framework's own, and its call
       t.event,             -- ? log_event.id of what stands below it: the exception
       e.text AS exception  -- ? the line with it
  FROM store_traceback AS t
  LEFT JOIN store_log_event AS e ON e.id = t.event;

-- Lines kept for context: the last ones of each log.
CREATE TABLE store_log_line (
  source INTEGER NOT NULL,  -- log_source.source
  line INTEGER NOT NULL,    -- number, from 1
  offset INTEGER NOT NULL,  -- of its first byte
  text TEXT NOT NULL        -- the line
);

-- The clocks of a job of several nodes, related by what they have seen in
-- common. Empty where one clock stamps all logs.
CREATE TABLE store_clock (
  clock TEXT PRIMARY KEY,      -- host:NAME, or log:NUMBER where the host is unknown
  offset_ns INTEGER NOT NULL,  -- how far it is ahead of the job's clock
  error_ns INTEGER NOT NULL,   -- uncertainty of that
  tied_by TEXT,                -- kind of event that relates it; none: it is assumed
  shared INTEGER NOT NULL      -- how many such events
);

-- Where each rank of a job ran, as far as logs and traces tell.
CREATE TABLE store_rank_place (
  rank INTEGER PRIMARY KEY,  -- in the job
  host TEXT,                 -- node
  pid INTEGER,               -- of its process
  device INTEGER,            -- that it uses, as it counts them
  pci TEXT                   -- bus address of that GPU: 0000:1a:00
);
