-- SPDX-License-Identifier: Apache-2.0
-- The fleet's schema 1: results of many runs. The same for SQLite and
-- PostgreSQL. Times are nanoseconds since 1970 (UTC), columns that are not NOT
-- NULL are unknown where they are NULL.

-- A run, by the hash of its content.
CREATE TABLE fleet_run (
  run TEXT PRIMARY KEY,
  rules TEXT NOT NULL,         -- of the result that was loaded last: it counts
  source TEXT NOT NULL,        -- where that result came from
  job TEXT,                    -- the scheduler's id
  host TEXT,                   -- where it was recorded
  start_time BIGINT,
  end_time BIGINT,
  times_from TEXT,             -- run, trace, log
  exit_code BIGINT,
  signal BIGINT,
  world_size BIGINT,           -- ranks, as the launcher said
  gpus BIGINT,                 -- how many the run used
  gpus_from TEXT,              -- trace, ranks (one each), option
  first_step BIGINT,
  last_step BIGINT,
  steps_from TEXT              -- log, bar, trace
);
CREATE INDEX fleet_run_by_job ON fleet_run (job);
CREATE INDEX fleet_run_by_time ON fleet_run (start_time);

-- What the scheduler knows of a job (`fleet load --sacct`).
CREATE TABLE fleet_job (
  job TEXT PRIMARY KEY,
  gpus BIGINT,                 -- allocated
  elapsed_s BIGINT,
  state TEXT,
  nodes TEXT                   -- as the scheduler writes the list
);

-- A GPU that a run used.
CREATE TABLE fleet_gpu (
  run TEXT NOT NULL,
  gpu TEXT NOT NULL,           -- UUID
  host TEXT,
  name TEXT,
  PRIMARY KEY (run, gpu)
);

-- A version that a run had: driver, image, cuda, cudnn, torch, …
CREATE TABLE fleet_version (
  run TEXT NOT NULL,
  what TEXT NOT NULL,
  version TEXT NOT NULL,
  PRIMARY KEY (run, what)
);

-- The verdict of one rule pack on a run.
CREATE TABLE fleet_verdict (
  run TEXT NOT NULL,
  rules TEXT NOT NULL,         -- digest of the pack
  tool TEXT,                   -- version of inquest
  cause TEXT NOT NULL,         -- none and unknown, too
  confidence TEXT,
  rule TEXT,
  title TEXT,
  summary TEXT,
  host TEXT,                   -- of the unit that failed
  rank BIGINT,
  device BIGINT,
  gpu TEXT,                    -- its UUID
  template TEXT,               -- of an unknown end's decisive line
  PRIMARY KEY (run, rules)
);
CREATE INDEX fleet_verdict_by_cause ON fleet_verdict (cause);

-- A finding of one rule pack in a run.
CREATE TABLE fleet_finding (
  run TEXT NOT NULL,
  rules TEXT NOT NULL,
  finding TEXT NOT NULL,       -- F1
  rule TEXT NOT NULL,
  cause TEXT NOT NULL,
  role TEXT,                   -- root, contributing, symptom, unexplained
  severity TEXT,
  confidence TEXT,
  survived BIGINT NOT NULL,    -- 1: the run went on after it
  host TEXT,
  rank BIGINT,
  device BIGINT,
  gpu TEXT,
  first_time BIGINT,
  count BIGINT,
  PRIMARY KEY (run, rules, finding)
);

-- GPU-hours of a run: those of its whole life, an upper limit of what its death
-- lost, for nobody recorded what a checkpoint saved. The scheduler's figures
-- come first.
CREATE VIEW fleet_cost AS
SELECT run, gpus, gpus_from, seconds, seconds_from,
       gpus * seconds / 3600 AS gpu_hours
  FROM (SELECT r.run,
               coalesce(j.gpus, r.gpus) AS gpus,
               CASE WHEN j.gpus IS NOT NULL THEN 'scheduler'
                    ELSE r.gpus_from END AS gpus_from,
               coalesce(CAST(j.elapsed_s AS DOUBLE PRECISION),
                        CAST(r.end_time - r.start_time AS DOUBLE PRECISION)
                          / 1000000000) AS seconds,
               CASE WHEN j.elapsed_s IS NOT NULL THEN 'scheduler'
                    ELSE r.times_from END AS seconds_from
          FROM fleet_run AS r
          LEFT JOIN fleet_job AS j ON j.job = r.job) AS known;

-- The verdict that counts: of the pack whose result was loaded last.
CREATE VIEW fleet_death AS
SELECT v.*, r.job, r.start_time, r.end_time, c.gpus, c.seconds, c.gpu_hours
  FROM fleet_run AS r
  JOIN fleet_verdict AS v ON v.run = r.run AND v.rules = r.rules
  JOIN fleet_cost AS c ON c.run = r.run;

-- Which runs were seen on which node.
CREATE VIEW fleet_node AS
SELECT run, host FROM fleet_gpu WHERE host IS NOT NULL
UNION
SELECT run, host FROM fleet_run WHERE host IS NOT NULL
UNION
SELECT run, host FROM fleet_verdict WHERE host IS NOT NULL;
