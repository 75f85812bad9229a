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
       e.text,                           -- the library's own words, may be empty
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

-- Text that libraries handed to the collector.
CREATE TEMP VIEW message AS
SELECT {m.process} AS process,           -- process.process
       m.id,                             -- number in its trace
       m.time_ns + c.offset_ns AS time,  -- nanoseconds since 1970
       m.source,                         -- cudnn, nvml, collector
       m.severity,                       -- info, warning, error, fatal
       m.text                            -- the library's words
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
       d.text                            -- in words
  FROM {trace}.device_event AS d
  JOIN store_trace AS c ON c.process = {d.process};
