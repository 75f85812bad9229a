-- SPDX-License-Identifier: Apache-2.0
-- Calls of cuDNN.

-- Single cuDNN calls: all failed ones and the last others.
CREATE TEMP VIEW cudnn_call AS
SELECT {k.process} AS process,           -- process.process
       k.id,                             -- number in its trace
       k.time_ns + c.offset_ns AS time,  -- nanoseconds since 1970, at return
       k.function,                       -- name
       k.result,                         -- cudnnStatus_t
       k.duration_ns AS duration,        -- nanoseconds
       k.detail,                         -- ? JSON with what is known of the operands of a
                                         -- failed call
       o.text AS operation               -- ? the layer that a failed call worked on
  FROM {trace}.cudnn_call AS k
  JOIN store_trace AS c ON c.process = {k.process}
  LEFT JOIN {trace}.cudnn_operation AS o
    ON k.result <> 0 AND {o.process} = {k.process}
   AND o.id = iif(json_valid(k.detail), k.detail ->> '$.operation', NULL);

-- Failed cuDNN calls: what they were given, and in what that contradicts itself.
CREATE TABLE store_cudnn_rejection (
  process INTEGER NOT NULL,  -- process.process
  error INTEGER NOT NULL,    -- api_error.id
  call INTEGER NOT NULL,     -- cudnn_call.id
  operands TEXT,             -- the layer, with operands that are null, not set or destroyed; of
                             -- a setter its sizes: n 8, c -3, h 224, w 224
  conflict TEXT,             -- x has 48 channels, w expects 64; NULL where nothing recorded
                             -- contradicts itself
  range TEXT                 -- the innermost NVTX range around the call
);

-- All cuDNN calls, counted by function and result.
CREATE TEMP VIEW cudnn_stat AS
SELECT {process} AS process,  -- process.process
       function,              -- name
       result,                -- cudnnStatus_t
       calls,                 -- how many
       total_ns,              -- spent in them
       max_ns                 -- the longest
  FROM {trace}.cudnn_stat;

-- cuDNN calls in a row on one layer with the same algorithm, or engine and
-- knobs, and the same workspace; a new row begins when any of them changes.
-- Times are the host's: the work is asynchronous.
CREATE TEMP VIEW cudnn_interval AS
SELECT {i.process} AS process,                  -- process.process
       i.id,                                    -- number in its trace; order of beginning
       i.function,                              -- name
       i.operation AS operation_id,             -- tells layers apart, 0: not known which
       o.text AS operation,                     -- ? the layer: x f32 32x64x56x56, w 64x64x3x3,
                                                -- pad 1x1, …
       i.algorithm,                             -- number in the function's own enum; of
                                                -- cudnnBackendExecute the engine's global
                                                -- index; -1 where there is no choice
       i.workspace_bytes,                       -- given to the calls; a plan is given none or
                                                -- what it asks for
       i.calls,                                 -- how many
       i.failed,                                -- how many of these failed
       i.first_ns + c.offset_ns AS first_time,  -- nanoseconds since 1970, at the first call's
                                                -- return
       i.last_ns + c.offset_ns AS last_time,    -- nanoseconds since 1970, at the last call's
                                                -- return
       i.total_ns,                              -- spent in the calls
       i.min_ns,                                -- the shortest
       i.max_ns,                                -- the longest
       h.workspace_asked,                       -- ? what cuDNN said it needs, where the program
                                                -- asked
       h.knobs                                  -- ? of a plan's engine: tile size 4, stages 2
  FROM {trace}.cudnn_interval AS i
  JOIN store_trace AS c ON c.process = {i.process}
  LEFT JOIN {trace}.cudnn_operation AS o
    ON {o.process} = {i.process} AND o.id = i.operation
  LEFT JOIN {trace}.cudnn_interval_choice AS l
    ON {l.process} = {i.process} AND l.interval = i.id
  LEFT JOIN {trace}.cudnn_choice AS h
    ON {h.process} = {i.process} AND h.id = l.choice;

-- A layer whose algorithm, engine, knobs or workspace changed; both intervals
-- have at least five calls that did not fail.
CREATE TEMP VIEW cudnn_switch AS
WITH settled AS (
  SELECT process, id, function, operation_id, operation, algorithm,
         workspace_bytes, calls, first_time,
         iif(function LIKE 'cudnnBackend%',
             'engine ' || algorithm || coalesce(' (' || knobs || ')', ''),
             'algorithm ' || algorithm) AS choice,
         1.0 * total_ns / calls AS host_ns,
         1.0 * (last_time - first_time) / (calls - 1) AS pace_ns
    FROM cudnn_interval
   WHERE operation_id <> 0 AND calls - failed >= 5
), paired AS (
  SELECT *, lag(id) OVER layer AS id_before,
         lag(choice) OVER layer AS choice_before,
         lag(algorithm) OVER layer AS algorithm_before,
         lag(workspace_bytes) OVER layer AS workspace_before,
         lag(calls) OVER layer AS calls_before,
         lag(host_ns) OVER layer AS host_ns_before,
         lag(pace_ns) OVER layer AS pace_ns_before
    FROM settled
  WINDOW layer AS (PARTITION BY process, function, operation_id
                   ORDER BY first_time, id)
)
SELECT process,             -- process.process
       id,                  -- cudnn_interval.id from here on
       id_before,           -- cudnn_interval.id up to here
       first_time AS time,  -- nanoseconds since 1970
       function,            -- name
       operation_id,        -- cudnn_interval.operation_id
       operation,           -- ? the layer
       choice,              -- how it ran from here on: algorithm 1; engine 38 (tile size 4,
                            -- stages 2)
       choice_before,       -- how it ran up to here
       algorithm,           -- from here on
       algorithm_before,    -- up to here
       workspace_bytes,     -- from here on
       workspace_before,    -- up to here
       calls,               -- from here on
       calls_before,        -- up to here
       host_ns,             -- mean time in a call from here on, the host's
       host_ns_before,      -- mean time in a call up to here
       pace_ns,             -- mean time from call to call from here on; what else a step does
                            -- is in it
       pace_ns_before       -- mean time from call to call up to here
  FROM paired
 WHERE id_before IS NOT NULL
   AND (choice <> choice_before OR workspace_bytes <> workspace_before);
