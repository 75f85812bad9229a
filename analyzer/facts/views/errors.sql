-- SPDX-License-Identifier: Apache-2.0
-- Failed calls and their Python frames, messages of libraries, and events of
-- devices, from traces.

-- Failed calls of the CUDA driver and runtime and of cuDNN, from traces.
CREATE TEMP VIEW api_error AS
SELECT {e.process} AS process,           -- process.process
       e.id,                             -- number in its trace; order of the failures
       e.time_ns + c.offset_ns AS time,  -- nanoseconds since 1970
       e.api,                            -- driver, runtime, cudnn, nvml
       e.function,                       -- the call that failed
       e.result,                         -- number in the API's own enum
       e.name,                           -- of the result: CUDA_ERROR_ILLEGAL_ADDRESS
       e.text,                           -- the library's text, may be empty
       e.device,                         -- ordinal, -1 unknown
       e.sticky,                         -- 1: the context is lost from here on
       e.stack                           -- number of the call stack, 0 none
  FROM {trace}.api_error AS e
  JOIN store_trace AS c ON c.process = {e.process};

-- Python's frames of call stacks. Stack numbers are those of memory_event,
-- api_error and allocation_site.
CREATE TEMP VIEW python_frame AS
SELECT {s.process} AS process,  -- process.process
       s.stack,                 -- number of the call stack
       s.depth,                 -- 0 innermost
       f.file,                  -- as the code object names it
       f.line,                  -- in that file, 0 unknown
       f.function               -- qualified from Python 3.11 on
  FROM {trace}.python_stack AS s
  JOIN {trace}.python_frame AS f
    ON {f.process} = {s.process} AND f.id = s.frame;

-- Messages that libraries sent to the collector.
CREATE TEMP VIEW message AS
SELECT {m.process} AS process,           -- process.process
       m.id,                             -- number in its trace
       m.time_ns + c.offset_ns AS time,  -- nanoseconds since 1970
       m.source,                         -- cudnn, nvml, collector
       m.severity,                       -- info, warning, error, fatal
       m.text                            -- the library's text
  FROM {trace}.message AS m
  JOIN store_trace AS c ON c.process = {m.process};

-- Xid and ECC events from NVML, fatal signals, exit.
CREATE TEMP VIEW device_event AS
SELECT {d.process} AS process,           -- process.process
       d.id,                             -- number in its trace
       d.time_ns + c.offset_ns AS time,  -- nanoseconds since 1970
       d.device,                         -- ordinal, -1: the process itself
       d.kind,                           -- xid, ecc, signal, exit
       d.value,                          -- number of the Xid or signal, exit code
       d.text                            -- description
  FROM {trace}.device_event AS d
  JOIN store_trace AS c ON c.process = {d.process};

-- Error codes that lines of logs name in any wording.
CREATE TEMP VIEW error_code AS
SELECT 'log_event:' || id AS evidence,           -- the line
       time,                                     -- ? nanoseconds since 1970
       figures ->> '$.error_library' AS library,  -- CUDA, NCCL, errno, …
       CAST(figures ->> '$.error_number' AS INTEGER) AS number,
                                                 -- ? in that vocabulary
       figures ->> '$.error_name' AS name,       -- ? its symbol
       figures ->> '$.error_text' AS meaning,    -- ? the library's text
       cause,                                    -- ? the cause if nothing else is known
       rank,                                     -- ? of the line
       pid,                                      -- ? of the line
       device,                                   -- ? of the line
       source,                                   -- log_source.source
       line,                                     -- number, from 1
       text                                      -- the line
  FROM store_log_event WHERE fact = 'error_code';
