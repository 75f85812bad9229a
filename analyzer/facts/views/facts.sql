-- The facts, version 1: what rules, queries and reports may read.
--
-- One block a fact. The comment above a column says what it holds and in what
-- unit; `?` after its name marks a column that can be NULL. `{trace}.` stands
-- before the tables of a trace and `{process}`, or `{m.process}` of a row m, for
-- the number of its process: both are filled in once for every attached trace
-- and once for all those merged (merged_traces.h), and the parts are joined with
-- UNION ALL; blocks without them are made once. Rows of two tables of a trace
-- are joined by their process too. Tables whose names begin with `store_` are
-- filled by the analyzer and are not part of the contract. Times are nanoseconds since 1970 UTC (for traces: the recording
-- host's own wall clock), sizes are bytes, `process` is process.process.

-- @fact run
-- The recorded run, where `inquest record` made the directory.
-- @column directory where it lies
-- @column command? what was run
-- @column host? on which machine
-- @column start_time? nanoseconds since 1970
-- @column end_time? nanoseconds since 1970
-- @column exit_code? as the shell would see it
-- @column signal? number of the signal that ended it
CREATE TEMP VIEW run AS
SELECT directory, command, host, start_time, end_time, exit_code, signal
  FROM store_run;

-- @fact process
-- A recorded process; one trace each.
-- @column process number of the process in this analysis, from 1
-- @column pid of the operating system
-- @column parent_pid of the operating system
-- @column rank? from the launcher's environment
-- @column local_rank? rank on its node
-- @column world_size? how many ranks the launcher said there are
-- @column job_id? the scheduler's
-- @column host machine
-- @column executable path
-- @column command arguments, separated by spaces
-- @column start_time nanoseconds since 1970
-- @column end_time last sign of life in the trace, nanoseconds since 1970
-- @column clean_end 1: the process ended in good order
CREATE TEMP VIEW process AS
SELECT {p.process} AS process, p.pid, p.parent_pid, p.rank, p.local_rank,
       p.world_size, p.job_id, p.host, p.executable, p.command,
       p.start_ns + c.offset_ns AS start_time,
       c.end_ns + c.offset_ns AS end_time, c.clean_end
  FROM {trace}.process AS p
  JOIN store_trace AS c ON c.process = {p.process};

-- @fact device
-- A GPU as a recorded process saw it.
-- @column process process.process
-- @column device ordinal in that process
-- @column gpu product name
-- @column uuid of the GPU
-- @column pci dddd:bb:dd.f
-- @column total_bytes memory of the device
-- @column compute_capability as in 9.0
-- @column driver? version of the kernel driver
-- @column cuda_driver? highest CUDA the driver supports, as in 13000
-- @column cuda_runtime? CUDA runtime in use, as in 13000
CREATE TEMP VIEW device AS
SELECT {process} AS process, ordinal AS device, name AS gpu, uuid, pci,
       total_bytes, compute_capability, driver_version AS driver,
       cuda_driver_version AS cuda_driver,
       cuda_runtime_version AS cuda_runtime
  FROM {trace}.device;

-- @fact library
-- A library mapped into a recorded process, with its version.
-- @column process process.process
-- @column name soname: libcudnn_ops.so.9
-- @column path file
-- @column version? as the library or its file name says
-- @column version_source? how the version was found
-- @column compiled_version? what its caller was built against
-- @column time nanoseconds since 1970 when it was first seen
CREATE TEMP VIEW library AS
SELECT {l.process} AS process, l.name, l.path, l.version, l.version_source,
       l.compiled_version, l.time_ns + c.offset_ns AS time
  FROM {trace}.library AS l
  JOIN store_trace AS c ON c.process = {l.process};

-- @fact package
-- Frameworks in a recorded process, by the files of their Python packages.
-- @column process process.process
-- @column name torch, tensorflow, jax, jaxlib, …
-- @column version as written: 2.9.0+cu128
-- @column version_source what says so: version.py, dist-info
-- @column cuda? what it was built with
-- @column cudnn? what it was built with
-- @column path the package's folder
-- @column time nanoseconds since 1970 when it was first seen
CREATE TEMP VIEW package AS
SELECT {k.process} AS process, k.name, k.version, k.version_source, k.cuda,
       k.cudnn, k.path, k.time_ns + c.offset_ns AS time
  FROM {trace}.package AS k
  JOIN store_trace AS c ON c.process = {k.process};

-- @fact library_check
-- What parts of cuDNN said when they compared themselves with those they depend on. The collector asked, not the program.
-- @column process process.process
-- @column time nanoseconds since 1970
-- @column name soname of the part: libcudnn_ops.so.9
-- @column path of the file
-- @column function that was asked: cudnnOpsVersionCheck
-- @column result cudnnStatus_t, 0: they fit
-- @column status of the result in words: CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH
CREATE TEMP VIEW library_check AS
SELECT {k.process} AS process, k.time_ns + c.offset_ns AS time, l.name, k.path,
       k.function, k.result, k.name AS status
  FROM {trace}.library_check AS k
  JOIN store_trace AS c ON c.process = {k.process}
  LEFT JOIN {trace}.library AS l
    ON {l.process} = {k.process} AND l.path = k.path AND l.base = k.base;

-- @fact environment
-- Allow-listed environment variables of a recorded process.
-- @column process process.process
-- @column name of the variable
-- @column value of the variable
CREATE TEMP VIEW environment AS
SELECT {process} AS process, name, value FROM {trace}.environment;

-- @fact memory_event
-- Every recorded call that moved device memory, in the order it took effect.
-- @column process process.process
-- @column id number in its trace
-- @column time nanoseconds since 1970
-- @column op alloc, free, free_failed, map, unmap, reserve, unreserve, trim, register, unregister, context_destroy, retain, access, pool_create, pool_threshold
-- @column kind device, managed, async, host, physical, array, ipc, external, framework, segment, mapped
-- @column device ordinal, -1 for host memory
-- @column address of the block, 0 where the call failed
-- @column bytes asked for, 0 in a free
-- @column result CUresult, 0 success, 2 out of memory
-- @column thread kernel thread id
-- @column stack number of the call stack, 0 none
-- @column stream handle, 0 the default stream or a synchronous call
-- @column pool handle of its pool; of a map the mapped memory's; 0 none
CREATE TEMP VIEW memory_event AS
SELECT {m.process} AS process, m.id, m.time_ns + c.offset_ns AS time,
       CASE m.op WHEN 1 THEN 'alloc' WHEN 2 THEN 'free'
                 WHEN 3 THEN 'free_failed' WHEN 4 THEN 'map'
                 WHEN 5 THEN 'unmap' WHEN 6 THEN 'reserve'
                 WHEN 7 THEN 'unreserve' WHEN 8 THEN 'trim'
                 WHEN 9 THEN 'register' WHEN 10 THEN 'unregister'
                 WHEN 11 THEN 'context_destroy' WHEN 12 THEN 'retain'
                 WHEN 13 THEN 'access' WHEN 14 THEN 'pool_create'
                 WHEN 15 THEN 'pool_threshold' ELSE 'unknown' END AS op,
       CASE m.kind WHEN 1 THEN 'device' WHEN 2 THEN 'managed'
                   WHEN 3 THEN 'async' WHEN 4 THEN 'host'
                   WHEN 5 THEN 'physical' WHEN 6 THEN 'array'
                   WHEN 7 THEN 'ipc' WHEN 8 THEN 'external'
                   WHEN 9 THEN 'framework' WHEN 10 THEN 'segment'
                   WHEN 11 THEN 'mapped' ELSE 'unknown' END AS kind,
       m.device, m.address, m.bytes, m.result, m.thread, m.stack,
       m.stream, m.pool
  FROM {trace}.memory_event AS m
  JOIN store_trace AS c ON c.process = {m.process};

-- @fact device_memory
-- Free and total memory of a device as the driver told the collector.
-- @column process process.process
-- @column time nanoseconds since 1970
-- @column device ordinal
-- @column free_bytes free on the device, all processes counted
-- @column total_bytes the device's size
-- @column reason start, timer, failure, end
CREATE TEMP VIEW device_memory AS
SELECT {m.process} AS process, m.time_ns + c.offset_ns AS time, m.device,
       m.free_bytes, m.total_bytes, m.reason
  FROM {trace}.device_memory AS m
  JOIN store_trace AS c ON c.process = {m.process};

-- @fact device_process
-- Who else held memory on a device.
-- @column process process.process that looked
-- @column time nanoseconds since 1970
-- @column device ordinal
-- @column pid the other process
-- @column used_bytes? what it held
-- @column name? its name
-- @column reason start, timer, failure, end
CREATE TEMP VIEW device_process AS
SELECT {d.process} AS process, d.time_ns + c.offset_ns AS time, d.device, d.pid,
       d.used_bytes, d.name, d.reason
  FROM {trace}.device_process AS d
  JOIN store_trace AS c ON c.process = {d.process};

-- @fact framework_oom
-- Requests that the allocator inside a framework gave up on (PyTorch's caching
-- allocator), after it had given back what it could and asked the driver.
-- @column process process.process
-- @column id number in its trace
-- @column time nanoseconds since 1970
-- @column device ordinal
-- @column requested_bytes as the allocator rounded them up
-- @column allocated_bytes? live inside the allocator
-- @column reserved_bytes? held by the allocator from the driver
-- @column reserved_unallocated_bytes? reserved and not live
-- @column thread kernel thread id
-- @column stack number of the call stack, 0 none
-- @column survived 1: a block of that size or a larger one was had later
CREATE TEMP VIEW framework_oom AS
SELECT {f.process} AS process, f.id, f.time_ns + c.offset_ns AS time, f.device,
       f.requested_bytes, f.allocated_bytes, f.reserved_bytes,
       f.reserved_bytes - f.allocated_bytes AS reserved_unallocated_bytes,
       f.thread, f.stack,
       EXISTS (SELECT 1 FROM {trace}.framework_block AS b
                WHERE {b.process} = {f.process}
                  AND b.device = f.device AND b.id > f.id
                  AND b.bytes >= f.requested_bytes) AS survived
  FROM {trace}.framework_oom AS f
  JOIN store_trace AS c ON c.process = {f.process};

-- @fact framework_block
-- Blocks that the allocator inside a framework handed out: all that were live at
-- the end, and of the others the last to be freed.
-- @column process process.process
-- @column id number in its trace; order of allocation
-- @column time nanoseconds since 1970
-- @column freed_time? nanoseconds since 1970, NULL: live at the end
-- @column device ordinal
-- @column address of the block, or the allocator's handle of it
-- @column address_is device or handle
-- @column bytes as the allocator rounded them up
-- @column allocated_bytes? live inside the allocator, with this one
-- @column reserved_bytes? held by the allocator from the driver
-- @column thread kernel thread id
-- @column stack number of the call stack, 0 none
CREATE TEMP VIEW framework_block AS
SELECT {b.process} AS process, b.id, b.time_ns + c.offset_ns AS time,
       b.freed_ns + c.offset_ns AS freed_time, b.device, b.address,
       b.address_is, b.bytes, b.allocated_bytes, b.reserved_bytes, b.thread,
       b.stack
  FROM {trace}.framework_block AS b
  JOIN store_trace AS c ON c.process = {b.process};

-- @fact framework_memory
-- What the allocator inside a framework had in use and held over time: a row a
-- second in which it did something, in long runs for more than a second each.
-- @column process process.process
-- @column id number in its trace; order of beginning
-- @column device ordinal
-- @column first_time nanoseconds since 1970
-- @column last_time nanoseconds since 1970
-- @column allocations how many
-- @column frees how many
-- @column allocated_bytes? live at last_time
-- @column reserved_bytes? held from the driver at last_time
-- @column peak_allocated_bytes? most that was live
-- @column peak_reserved_bytes? most that was held
CREATE TEMP VIEW framework_memory AS
SELECT {f.process} AS process, f.id, f.device,
       f.first_ns + c.offset_ns AS first_time,
       f.last_ns + c.offset_ns AS last_time, f.allocations, f.frees,
       f.allocated_bytes, f.reserved_bytes, f.peak_allocated_bytes,
       f.peak_reserved_bytes
  FROM {trace}.framework_memory AS f
  JOIN store_trace AS c ON c.process = {f.process};

-- @fact pool_segment
-- Memory that a framework's allocator held from the driver at the end of the
-- trace, as the allocator itself says; from imported snapshots.
-- @column process process.process
-- @column segment number
-- @column device ordinal
-- @column address first byte
-- @column bytes size
-- @column allocated_bytes in blocks handed out
-- @column active_bytes with those that a stream may still use
-- @column requested_bytes asked for in these blocks
-- @column stream handle of the only one that may take blocks from it
-- @column type small or large
-- @column pool 0.0 the common one, else a private one
-- @column expandable 1: grows in place
-- @column stack number of the call stack, 0 none
CREATE TEMP VIEW pool_segment AS
SELECT {process} AS process, id AS segment, device, address, bytes,
       allocated_bytes, active_bytes, requested_bytes, stream, type, pool,
       expandable, stack
  FROM {trace}.pool_segment;

-- @fact pool_block
-- The blocks of these segments; each byte of a segment is in one of them.
-- @column process process.process
-- @column segment pool_segment.segment
-- @column device ordinal
-- @column address first byte
-- @column bytes as rounded up
-- @column requested_bytes asked for; of a free block the last time
-- @column state live, pending (given back, but in use by a stream) or free
-- @column stack number of the call stack, 0 none
CREATE TEMP VIEW pool_block AS
SELECT {b.process} AS process, b.segment, s.device, b.address, b.bytes,
       b.requested_bytes, b.state, b.stack
  FROM {trace}.pool_block AS b
  JOIN {trace}.pool_segment AS s
    ON {s.process} = {b.process} AND s.id = b.segment;

-- @fact pool_chunk
-- What TensorFlow's allocator says of its chunks; from imported memory dumps.
-- @column process process.process
-- @column device ordinal, -1 for host memory
-- @column allocator as in GPU_0_bfc
-- @column segment pool_segment.segment: the region that it lies in
-- @column address first byte
-- @column bytes size
-- @column requested_bytes asked for; of a free chunk the last time
-- @column state live or free
-- @column bin of the allocator's free lists; -1 while in use
-- @column op operation that has it or had it last; empty where the build does not tell
-- @column step in which it was asked for, 0 not told
-- @column action number of the allocator's last act on it, 0 not told
-- @column freed_at count of the timing counter at its free, 0 none
CREATE TEMP VIEW pool_chunk AS
SELECT {c.process} AS process, s.device, s.pool AS allocator, b.segment,
       b.address, b.bytes, b.requested_bytes, b.state, c.bin, c.op, c.step,
       c.action, c.freed_at
  FROM {trace}.pool_chunk AS c
  JOIN {trace}.pool_block AS b ON {b.process} = {c.process} AND b.id = c.block
  JOIN {trace}.pool_segment AS s
    ON {s.process} = {b.process} AND s.id = b.segment;

-- @fact pool_bin
-- The chunks of TensorFlow's allocator by their size; from imported memory dumps.
-- @column process process.process
-- @column allocator as in GPU_0_bfc
-- @column bin number; each is for twice the size of the one before, from 256
-- @column bytes of all chunks of such a size
-- @column bytes_in_use of those in use
-- @column chunks how many
-- @column chunks_in_use of these
CREATE TEMP VIEW pool_bin AS
SELECT {process} AS process, allocator, bin, bytes, bytes_in_use, chunks,
       chunks_in_use
  FROM {trace}.pool_bin;

-- @fact pool_statistics
-- What TensorFlow's allocator says of itself where a request could not be met;
-- from imported memory dumps.
-- @column allocator as in GPU_0_bfc
-- @column process process.process
-- @column device ordinal, -1 for host memory
-- @column time nanoseconds since 1970
-- @column num_allocs since the start
-- @column in_use_bytes in chunks in use
-- @column max_in_use_bytes most at once
-- @column max_alloc_bytes largest chunk ever handed out
-- @column fragmentation 1 - largest free chunk / all free bytes, 0 to 1
-- @column chunk_bytes of all chunks in the dump
-- @column free_bytes of the free ones
-- @column largest_free_bytes the largest of these
-- @column free_chunks how many
CREATE TEMP VIEW pool_statistics AS
SELECT p.allocator, {p.process} AS process, p.device,
       p.time_ns + c.offset_ns AS time, p.num_allocs,
       p.bytes_in_use AS in_use_bytes, p.peak_bytes_in_use AS max_in_use_bytes,
       p.largest_alloc_bytes AS max_alloc_bytes, p.fragmentation,
       (SELECT coalesce(sum(bytes), 0) FROM {trace}.pool_block AS b
         WHERE {b.process} = {p.process}) AS chunk_bytes,
       (SELECT coalesce(sum(bytes), 0) FROM {trace}.pool_block AS b
         WHERE {b.process} = {p.process} AND state = 'free') AS free_bytes,
       (SELECT coalesce(max(bytes), 0) FROM {trace}.pool_block AS b
         WHERE {b.process} = {p.process}
           AND state = 'free') AS largest_free_bytes,
       (SELECT count(*) FROM {trace}.pool_block AS b
         WHERE {b.process} = {p.process} AND state = 'free') AS free_chunks
  FROM {trace}.pool_statistics AS p
  JOIN store_trace AS c ON c.process = {p.process};

-- @fact pool_history
-- Bytes in use after each of the last acts of TensorFlow's allocator; from
-- imported memory dumps of builds that keep them.
-- @column process process.process
-- @column action number of the act
-- @column bytes_in_use after it
CREATE TEMP VIEW pool_history AS
SELECT {process} AS process, action, bytes_in_use FROM {trace}.pool_history;

-- @fact profile_sample
-- What a device memory profile of JAX counted as live, a row a sample.
-- @column process process.process
-- @column sample number, in the order of the file
-- @column kind buffer or executable
-- @column device ordinal, -1 not told
-- @column device_name as the profile has it, may be empty
-- @column count how many that are alike
-- @column bytes all of them; negative where sizes are not told
-- @column stack number of the call stack, 0 none
CREATE TEMP VIEW profile_sample AS
SELECT {process} AS process, id AS sample, kind, device, device_name, count,
       bytes, stack
  FROM {trace}.profile_sample;

-- @fact api_error
-- Failed calls of the CUDA driver and runtime and of cuDNN, from traces.
-- @column process process.process
-- @column id number in its trace; order of the failures
-- @column time nanoseconds since 1970
-- @column api driver, runtime, cudnn, nvml
-- @column function the call that failed
-- @column result number in the API's own enum
-- @column name of the result: CUDA_ERROR_ILLEGAL_ADDRESS
-- @column text the library's own words, may be empty
-- @column device ordinal, -1 unknown
-- @column sticky 1: the context is lost from here on
-- @column stack number of the call stack, 0 none
CREATE TEMP VIEW api_error AS
SELECT {e.process} AS process, e.id, e.time_ns + c.offset_ns AS time, e.api,
       e.function, e.result, e.name, e.text, e.device, e.sticky, e.stack
  FROM {trace}.api_error AS e
  JOIN store_trace AS c ON c.process = {e.process};

-- @fact cudnn_call
-- cuDNN calls kept one by one: every failed one and the last others.
-- @column process process.process
-- @column id number in its trace
-- @column time nanoseconds since 1970, at return
-- @column function name
-- @column result cudnnStatus_t
-- @column duration nanoseconds
-- @column detail? JSON with what is known of the operands of a failed call
-- @column operation? the layer that a failed call worked on
CREATE TEMP VIEW cudnn_call AS
SELECT {k.process} AS process, k.id, k.time_ns + c.offset_ns AS time, k.function,
       k.result, k.duration_ns AS duration, k.detail, o.text AS operation
  FROM {trace}.cudnn_call AS k
  JOIN store_trace AS c ON c.process = {k.process}
  LEFT JOIN {trace}.cudnn_operation AS o
    ON k.result <> 0 AND {o.process} = {k.process}
   AND o.id = iif(json_valid(k.detail), k.detail ->> '$.operation', NULL);

-- @fact cudnn_stat
-- All cuDNN calls, counted by function and result.
-- @column process process.process
-- @column function name
-- @column result cudnnStatus_t
-- @column calls how many
-- @column total_ns spent in them
-- @column max_ns the longest
CREATE TEMP VIEW cudnn_stat AS
SELECT {process} AS process, function, result, calls, total_ns, max_ns
  FROM {trace}.cudnn_stat;

-- @fact cudnn_interval
-- cuDNN calls in a row on one layer with the same algorithm, or engine and knobs, and the same workspace; a new
-- row begins when any of them changes. Times are the host's: the work is asynchronous.
-- @column process process.process
-- @column id number in its trace; order of beginning
-- @column function name
-- @column operation_id tells layers apart, 0: not known which
-- @column operation? the layer: x f32 32x64x56x56, w 64x64x3x3, pad 1x1, …
-- @column algorithm number in the function's own enum; of cudnnBackendExecute the engine's global index; -1 where there is no choice
-- @column workspace_bytes given to the calls; a plan is given none or what it asks for
-- @column calls how many
-- @column failed how many of these failed
-- @column first_time nanoseconds since 1970, at the first call's return
-- @column last_time nanoseconds since 1970, at the last call's return
-- @column total_ns spent in the calls
-- @column min_ns the shortest
-- @column max_ns the longest
-- @column workspace_asked? what cuDNN said it needs, where the program asked
-- @column knobs? of a plan's engine: tile size 4, stages 2
CREATE TEMP VIEW cudnn_interval AS
SELECT {i.process} AS process, i.id, i.function, i.operation AS operation_id,
       o.text AS operation, i.algorithm, i.workspace_bytes, i.calls, i.failed,
       i.first_ns + c.offset_ns AS first_time,
       i.last_ns + c.offset_ns AS last_time, i.total_ns, i.min_ns, i.max_ns,
       h.workspace_asked, h.knobs
  FROM {trace}.cudnn_interval AS i
  JOIN store_trace AS c ON c.process = {i.process}
  LEFT JOIN {trace}.cudnn_operation AS o
    ON {o.process} = {i.process} AND o.id = i.operation
  LEFT JOIN {trace}.cudnn_interval_choice AS l
    ON {l.process} = {i.process} AND l.interval = i.id
  LEFT JOIN {trace}.cudnn_choice AS h
    ON {h.process} = {i.process} AND h.id = l.choice;

-- @fact cudnn_switch
-- A known layer that went on with another algorithm, engine, knobs or workspace; both intervals with five calls or more that did not fail.
-- @column process process.process
-- @column id cudnn_interval.id from here on
-- @column id_before cudnn_interval.id up to here
-- @column time nanoseconds since 1970
-- @column function name
-- @column operation_id cudnn_interval.operation_id
-- @column operation? the layer
-- @column choice how it ran from here on: algorithm 1; engine 38 (tile size 4, stages 2)
-- @column choice_before how it ran up to here
-- @column algorithm from here on
-- @column algorithm_before up to here
-- @column workspace_bytes from here on
-- @column workspace_before up to here
-- @column calls from here on
-- @column calls_before up to here
-- @column host_ns mean time in a call from here on, the host's
-- @column host_ns_before mean time in a call up to here
-- @column pace_ns mean time from call to call from here on; what else a step does is in it
-- @column pace_ns_before mean time from call to call up to here
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
SELECT process, id, id_before, first_time AS time, function, operation_id,
       operation, choice, choice_before, algorithm, algorithm_before,
       workspace_bytes, workspace_before, calls, calls_before, host_ns,
       host_ns_before, pace_ns, pace_ns_before
  FROM paired
 WHERE id_before IS NOT NULL
   AND (choice <> choice_before OR workspace_bytes <> workspace_before);

-- @fact python_frame
-- Python's frames of call stacks. Stack numbers are those of memory_event,
-- api_error and allocation_site.
-- @column process process.process
-- @column stack number of the call stack
-- @column depth 0 innermost
-- @column file as the code object names it
-- @column line in that file, 0 unknown
-- @column function qualified from Python 3.11 on
CREATE TEMP VIEW python_frame AS
SELECT {s.process} AS process, s.stack, s.depth, f.file, f.line, f.function
  FROM {trace}.python_stack AS s
  JOIN {trace}.python_frame AS f
    ON {f.process} = {s.process} AND f.id = s.frame;

-- @fact message
-- Text that libraries handed to the collector.
-- @column process process.process
-- @column id number in its trace
-- @column time nanoseconds since 1970
-- @column source cudnn, nvml, collector
-- @column severity info, warning, error, fatal
-- @column text the library's words
CREATE TEMP VIEW message AS
SELECT {m.process} AS process, m.id, m.time_ns + c.offset_ns AS time, m.source,
       m.severity, m.text
  FROM {trace}.message AS m
  JOIN store_trace AS c ON c.process = {m.process};

-- @fact device_event
-- Xid and ECC events from NVML, fatal signals, exit.
-- @column process process.process
-- @column id number in its trace
-- @column time nanoseconds since 1970
-- @column device ordinal, -1: the process itself
-- @column kind xid, ecc, signal, exit
-- @column value number of the Xid or signal, exit code
-- @column text in words
CREATE TEMP VIEW device_event AS
SELECT {d.process} AS process, d.id, d.time_ns + c.offset_ns AS time, d.device,
       d.kind, d.value, d.text
  FROM {trace}.device_event AS d
  JOIN store_trace AS c ON c.process = {d.process};

-- @fact loss
-- What a collector could not keep. No row is the good case.
-- @column process process.process
-- @column kind of record
-- @column count how many are missing
-- @column note why
CREATE TEMP VIEW loss AS
SELECT {process} AS process, kind, count, note FROM {trace}.loss;

-- @fact oom
-- A request for memory that was refused, from a trace or from a log.
-- @column oom number
-- @column source trace or log
-- @column evidence row or line it comes from: memory_event:12, log_event:3
-- @column process? process.process, for traces
-- @column rank? of the launcher
-- @column pid? of the operating system
-- @column device? ordinal
-- @column time? nanoseconds since 1970
-- @column requested_bytes? size of the refused request
-- @column free_bytes? free on the device, all processes counted
-- @column total_bytes? the device's size
-- @column live_bytes? held by this process on the device through the driver (traces)
-- @column gap_bytes? free inside the heap, in all its gaps (traces, dumps of a pool)
-- @column unused_bytes? free_bytes and what is free inside chunks that hold a live block (traces)
-- @column largest_free_bytes? largest piece that could have been handed out
-- @column other_bytes? held on the device by others than this process
-- @column allocated_bytes? live inside the framework's allocator
-- @column reserved_bytes? held by the framework's allocator
-- @column reserved_unallocated_bytes? reserved and not live
-- @column process_bytes? held by this process on the device, as its log says
-- @column limit_bytes? what the allocator may use
-- @column in_use_bytes? live in TensorFlow's allocator
-- @column survived 1: the run went on for a while after it
-- @column max_in_use_bytes? most that ever was live in TensorFlow's allocator
-- @column num_allocs? requests that it had met until then
-- @column max_alloc_bytes? the largest of these
-- @column reason? why it was refused, by the trace alone: capacity, fragmentation, other-process (it would have fitted without it), pool-reserve (or into what a framework's pool held idle), limit (the device had room) or leak (it would have fitted without what leaked)
-- @column missing_bytes? the margin: how many more, free or in one piece, would have served it
-- @column fragmentation? 1 - largest_free_bytes / unused_bytes: 0 where all that is free is one piece
-- @column blocking_blocks? of a fragmented heap: how many live blocks stand in the way where fewest bytes do (oom_blocker)
-- @column blocking_bytes? size of these
CREATE TEMP VIEW oom AS
SELECT oom, source, evidence, process, rank, pid, device, time,
       requested_bytes, free_bytes, total_bytes, live_bytes, gap_bytes,
       unused_bytes, largest_free_bytes, other_bytes, allocated_bytes, reserved_bytes,
       reserved_unallocated_bytes, process_bytes, limit_bytes, in_use_bytes,
       survived, max_in_use_bytes, num_allocs, max_alloc_bytes, reason,
       missing_bytes, fragmentation, blocking_blocks, blocking_bytes
  FROM store_oom;

-- @fact oom_blocker
-- The live blocks that stood in the way of a request which a fragmented heap
-- refused: of all that would have made room, side by side, those with the fewest
-- bytes.
-- @column oom oom.oom
-- @column address first byte
-- @column bytes size
-- @column site allocation_site.site
-- @column age nanoseconds from its allocation to the refusal
CREATE TEMP VIEW oom_blocker AS
SELECT oom, address, bytes, site, age FROM store_blocker;

-- @fact heap_block
-- The address space of a device at a refused request, or of the pool whose dump
-- a log holds: live blocks and gaps.
-- @column oom oom.oom
-- @column address first byte
-- @column bytes size
-- @column state live or free
-- @column memory_event? memory_event.id that made a live block
-- @column site? allocation_site.site of a live block
-- @column age? nanoseconds from its allocation to the refusal
-- @column op? the framework's operation that a dump names beside the block
CREATE TEMP VIEW heap_block AS
SELECT oom, address, bytes, state, memory_event, site, age, op
  FROM store_heap_block;

-- @fact allocation_site
-- A place in the program that allocates device memory.
-- @column site number
-- @column process process.process
-- @column device ordinal
-- @column function of the program that tells this site from the others: the innermost that no other site has; of Python with its place, as `train.py:57 in forward`
-- @column file? source file, of Python or where debug information has it
-- @column line? source line
-- @column chain its callers, innermost first, joined by ' < '
-- @column stack number of one of its call stacks
-- @column allocations how many succeeded
-- @column frees how many of them were freed
-- @column failures how many were refused
-- @column allocated_bytes all bytes it ever got
-- @column live_bytes held at the end of the trace
-- @column peak_bytes most it held at once
-- @column live_blocks never freed at the end of the trace
-- @column oldest_time? nanoseconds since 1970 when the oldest of these was allocated
-- @column steps_held? how many steps ended since then
-- @column short_lived? how many were freed before the next step ended; NULL where there are no steps
-- @column short_lived_bytes? all of these together
-- @column short_lived_time? nanoseconds that they lived on the average
-- @column short_lived_by_driver? how many of these were cudaMalloc's and the like, whose free waits for the device
CREATE TEMP VIEW allocation_site AS
SELECT site, process, device, function, file, line, chain, stack, allocations,
       frees, failures, allocated_bytes, live_bytes, peak_bytes, live_blocks,
       oldest_time, steps_held, short_lived, short_lived_bytes,
       short_lived_time, short_lived_by_driver
  FROM store_site;

-- @fact peak_block
-- Blocks that were live when most was held on a device, or in a framework's pool on it; the 50,000 largest of each.
-- @column process process.process
-- @column device ordinal
-- @column layer device: what the driver handed out; pool: blocks of a framework's pool
-- @column address first byte, or the handle of memory that has none
-- @column bytes size
-- @column site? allocation_site.site, NULL: a pool's own memory
-- @column time nanoseconds since 1970 when it was allocated
-- @column freed_time? nanoseconds since 1970, NULL: live at the end
-- @column life? persistent (it outlived steps), step (what a step needs) or transient (freed within a twentieth of a step); NULL where there are no steps
-- @column carried? 1: of life step or transient, and yet made in an earlier step than that of the peak; allocated early or freed late, which of the two only the uses of it would tell
-- @column given_back_time? nanoseconds since 1970 when the program gave it back, where that was before the peak and the pool kept it for another stream (late_free)
CREATE TEMP VIEW peak_block AS
SELECT process, device, layer, address, bytes, site, time, freed_time, life,
       carried, given_back_time
  FROM store_peak_block;

-- @fact peak_site
-- Who held what when most was held on a device, or in a framework's pool on it.
-- @column process process.process
-- @column device ordinal
-- @column layer device or pool, as in peak_block
-- @column site? allocation_site.site, NULL: a pool's own memory
-- @column blocks how many
-- @column bytes of all of them
-- @column largest_bytes of the largest
-- @column oldest_age nanoseconds from the allocation of the oldest to the peak
-- @column persistent_bytes? part of them, as in peak_block
-- @column step_bytes? part of them
-- @column transient_bytes? part of them
-- @column carried_bytes? of step_bytes and transient_bytes, what was made in an earlier step, as in peak_block
-- @column waiting_bytes what the program had given back and the pool kept for another stream
CREATE TEMP VIEW peak_site AS
SELECT process, device, layer, site, blocks, bytes, largest_bytes, oldest_age,
       persistent_bytes, step_bytes, transient_bytes, carried_bytes,
       waiting_bytes
  FROM store_peak_site;

-- @fact held_site
-- Who held what in a framework's pool at the last refusal that the program did
-- not recover from, or else at the end. Of recordings, and of what was imported
-- with blocks. The last 10,000 blocks that were freed are known, so a program
-- that gave back more than that after its refusal held more.
-- @column process process.process
-- @column device ordinal
-- @column site? allocation_site.site, NULL: blocks without a stack, such as those under 1 MiB unless all had theirs recorded
-- @column blocks how many
-- @column bytes of all of them
-- @column first_time nanoseconds since 1970 when the first of them was made
-- @column last_time nanoseconds since 1970 when the last of them was made
-- @column tenths in how many tenths of the pool's time they were made: few for what is loaded at the start, 10 for what piles up
-- @column framework_oom? framework_oom.id of that refusal, NULL: at the end
CREATE TEMP VIEW held_site AS
SELECT process, device, site, blocks, bytes, first_time, last_time, tenths,
       framework_oom
  FROM store_held_site;

-- @fact late_free
-- Blocks of a framework's pool that went free later than the program gave them
-- back: another stream had used them (record_stream), or a CUDA graph was being
-- captured. From imported snapshots.
-- @column process process.process
-- @column id number in its trace
-- @column device ordinal
-- @column address first byte
-- @column bytes asked for
-- @column time nanoseconds since 1970 when it was given back
-- @column freed_time? nanoseconds since 1970 when it went free, NULL: not yet
-- @column waited? nanoseconds between the two
-- @column stack number of the call stack, 0 none: where it was given back or, where only those of allocations were recorded, made
CREATE TEMP VIEW late_free AS
SELECT {l.process} AS process, l.id, l.device, l.address, l.bytes,
       l.requested_ns + c.offset_ns AS time,
       l.completed_ns + c.offset_ns AS freed_time,
       l.completed_ns - l.requested_ns AS waited, l.stack
  FROM {trace}.late_free AS l
  JOIN store_trace AS c ON c.process = {l.process};

-- @fact peak_size
-- Of what sizes the blocks were when most was held.
-- @column process process.process
-- @column device ordinal
-- @column layer device or pool, as in peak_block
-- @column least_bytes of the class: a power of two, up to the next one
-- @column blocks how many
-- @column bytes of all of them
CREATE TEMP VIEW peak_size AS
SELECT process, device, layer, least_bytes, blocks, bytes
  FROM store_peak_size;

-- @fact device_ledger
-- What a device's memory went to each time that the driver was asked.
-- @column process process.process
-- @column device ordinal
-- @column time nanoseconds since 1970
-- @column reason start, timer, failure, end
-- @column used_bytes on the device, by whomever
-- @column live_bytes held by this process in blocks that were recorded
-- @column other_bytes? held by other processes, where the driver tells
-- @column remainder_bytes what is left: contexts, modules and libraries, and others that nobody could name
CREATE TEMP VIEW device_ledger AS
SELECT process, device, time, reason, used_bytes, live_bytes, other_bytes,
       remainder_bytes
  FROM store_device_ledger;

-- @fact replay_fault
-- What cannot be, as far as a trace was replayed: the trace has lost events, or the program errs.
-- @column process process.process
-- @column device ordinal
-- @column layer device, handle or pool
-- @column kind double_free, unknown_free or overlap
-- @column count how many
-- @column first_event memory_event.id of the first
-- @column first_time nanoseconds since 1970
CREATE TEMP VIEW replay_fault AS
SELECT process, device, layer, kind, count, first_event, first_time
  FROM store_replay_fault;

-- @fact device_usage
-- What a recorded process held on a device over its life, replayed.
-- @column process process.process
-- @column device ordinal
-- @column allocations how many succeeded
-- @column frees how many
-- @column failed how many were refused
-- @column peak_bytes most held at once
-- @column peak_time nanoseconds since 1970
-- @column live_bytes held at the end of the trace
-- @column capacity_bytes? the device's size
-- @column unknown_frees frees of addresses nobody had allocated
-- @column overlaps allocations that overlapped a live block
-- @column framework_allocations? blocks that a framework's pool handed out, where they are recorded one by one
-- @column framework_frees? how many of its blocks were freed
-- @column framework_peak_bytes? most that was live in it at once
-- @column framework_peak_time? nanoseconds since 1970
-- @column framework_live_bytes? live in it at the end of the trace
-- @column framework_before_bytes? live in it when the trace began; without them peak and live bytes are those of its own events
-- @column contexts? that held memory on it at the peak; each costs some hundred megabytes beside, and one is enough
CREATE TEMP VIEW device_usage AS
SELECT process, device, allocations, frees, failed, peak_bytes, peak_time,
       live_bytes, capacity_bytes, unknown_frees, overlaps,
       framework_allocations, framework_frees, framework_peak_bytes,
       framework_peak_time, framework_live_bytes, framework_before_bytes,
       contexts
  FROM store_device_usage;

-- @fact step
-- Training steps, with the memory held at their end: the NVTX ranges that are
-- called steps or, in a trace that has none, stretches of allocations that
-- repeat, or else epochs or what other ranges repeat.
-- @column process process.process
-- @column step number, from 0
-- @column name as the program called it
-- @column begin_time nanoseconds since 1970
-- @column end_time? nanoseconds since 1970, NULL: the process died in it
-- @column live_bytes? held on all devices at its end
-- @column found_by nvtx or allocations
CREATE TEMP VIEW step AS
SELECT process, step, name, begin_time, end_time, live_bytes, found_by
  FROM store_step;

-- @fact leak_suspect
-- A site whose live bytes grew from step to step until the end.
-- @column process process.process
-- @column device ordinal
-- @column site allocation_site.site
-- @column bytes_per_step robust slope of its live bytes
-- @column first_step from which step on it grew
-- @column last_step last whole step
-- @column growth_bytes live bytes gained from first_step to the end
-- @column share part of all growth on the device, 0 to 1
-- @column steps_to_full? steps after first_step until the device is full at this pace
-- @column full_step? the step in which the device is full at this pace
-- @column significance of the growth against noise, in standard deviations
CREATE TEMP VIEW leak_suspect AS
SELECT process, device, site, bytes_per_step, first_step, last_step,
       growth_bytes, share, steps_to_full,
       first_step + steps_to_full AS full_step, significance
  FROM store_leak;

-- @fact log_source
-- A log that was read.
-- @column source number, from 1
-- @column path as given
-- @column kind app or kernel
-- @column lines how many
-- @column bytes unpacked
-- @column truncated 1: ends in the middle of a line or of its packing
-- @column incomplete 1: a limit stopped the reading
-- @column note? why
-- @column first_time? nanoseconds since 1970
-- @column last_time? nanoseconds since 1970
CREATE TEMP VIEW log_source AS
SELECT source, path, kind, lines, bytes, truncated, incomplete, note,
       first_time, last_time
  FROM store_log_source;

-- @fact log_event
-- A line that a signature recognised.
-- @column id number; in the order of reading
-- @column signature id of the signature
-- @column role cause, symptom, confirm, context, progress, finish, advice, benign
-- @column severity note, warning, error
-- @column cause? what the signature names
-- @column fact? which named fact it also fills
-- @column source log_source.source
-- @column path of the log
-- @column line number, from 1
-- @column offset of the line's first byte
-- @column time? nanoseconds since 1970
-- @column time_error nanoseconds of doubt about it
-- @column rank? from the line's prefix, or the figure of that name
-- @column pid? from the line's prefix, or the figure of that name
-- @column host? from the line's prefix, or the figure of that name
-- @column device? figure of that name
-- @column text the line
-- @column figures JSON object of the captures
-- @column survived 1: the run went on working after it
CREATE TEMP VIEW log_event AS
SELECT id, signature, role, severity, cause, fact, source, path, line, offset,
       time, time_error, rank, pid, host, device, text, figures, survived
  FROM store_log_event;

-- @fact figure
-- The figures of log_event one by one.
-- @column event log_event.id
-- @column signature id of the signature
-- @column name of the figure
-- @column value of the figure
CREATE TEMP VIEW figure AS
SELECT e.id AS event, e.signature, f.key AS name, f.value
  FROM store_log_event AS e, json_each(e.figures) AS f;

-- @fact version_seen
-- Versions that a log named or a trace found, under one name and in one form.
-- @column what `driver`, `driver_cuda` (the highest CUDA it serves), `cuda` (of the program), `cudnn`, `torch`, `tensorflow`, `capability` (of a GPU)
-- @column version parted by points
-- @column number version_number(version)
-- @column minor the same of the first two parts only, to be compared with tables
-- @column evidence? the line that says so, for the column of that name
-- @column process? process.process
-- @column source? log_source.source
-- @column rank? from the line or the process
-- @column device? of a capability
-- @column host? machine
-- @column time? nanoseconds since 1970
CREATE TEMP VIEW version_seen AS
SELECT what, version, number, minor, evidence, process, source, rank, device,
       host, time
  FROM store_version_seen;

-- @fact cuda_release
-- CUDA toolkits and the Linux drivers they ask for.
-- @column cuda as in 12.4
-- @column number version_number(cuda)
-- @column driver? of the toolkit's first release
-- @column least_driver that runs its programs at all, without PTX and newer features
CREATE TEMP VIEW cuda_release AS
SELECT cuda, version_number(cuda) AS number, driver, least_driver
  FROM store_cuda_release;

-- @fact driver_branch
-- Branches of the Linux driver.
-- @column branch as in 550
-- @column cuda the highest it serves
-- @column number version_number(cuda)
-- @column least_capability the oldest GPUs it runs
CREATE TEMP VIEW driver_branch AS
SELECT branch, cuda, version_number(cuda) AS number, least_capability
  FROM store_driver_branch;

-- @fact gpu_architecture
-- Compute capabilities and the toolkits that make code for them.
-- @column capability as in 8.6
-- @column number version_number(capability)
-- @column architecture name
-- @column first_cuda toolkit that makes code for it
-- @column last_cuda? toolkit that does
-- @column last_branch? of the driver that runs it
CREATE TEMP VIEW gpu_architecture AS
SELECT capability, version_number(capability) AS number, architecture,
       first_cuda, last_cuda, last_branch
  FROM store_gpu_architecture;

-- @fact framework_build
-- Builds of frameworks, with what they were built with.
-- @column framework torch or tensorflow
-- @column version first two parts
-- @column number version_number(version)
-- @column cuda of the build
-- @column cudnn? of the build, first two parts
-- @column capabilities? with native code, parted by blanks
-- @column ptx? the capability with PTX
-- @column usual 1: what `pip install` takes by default
CREATE TEMP VIEW framework_build AS
SELECT framework, version, version_number(version) AS number, cuda, cudnn,
       capabilities, ptx, usual
  FROM store_framework_build;

-- @fact cudnn_release
-- cuDNN packages, one row for each major release of CUDA.
-- @column cudnn first two parts
-- @column number version_number(cudnn)
-- @column first_cuda it was made for
-- @column last_cuda it was made for
-- @column least_capability of a GPU that it has code for
-- @column most_capability? of a GPU that it has code for
CREATE TEMP VIEW cudnn_release AS
SELECT cudnn, version_number(cudnn) AS number, first_cuda, last_cuda,
       least_capability, most_capability
  FROM store_cudnn_release;

-- @fact traceback
-- Python's tracebacks in logs, with the innermost frame of the user's own code.
-- @column source log_source.source
-- @column line of its first frame
-- @column last_line of its last frame
-- @column rank? from the lines' prefix
-- @column frames how many
-- @column file? of the innermost frame that is neither Python's own nor of an installed package
-- @column file_line? in that file
-- @column function? of that frame
-- @column event? log_event.id of what stands below it: the exception
-- @column exception? the line with it
CREATE TEMP VIEW traceback AS
SELECT t.source, t.line, t.last_line, t.rank, t.frames, t.file, t.file_line,
       t.function, t.event, e.text AS exception
  FROM store_traceback AS t
  LEFT JOIN store_log_event AS e ON e.id = t.event;

-- @fact log_line
-- Lines kept for context: the last ones of each log.
-- @column source log_source.source
-- @column line number, from 1
-- @column offset of its first byte
-- @column text the line
CREATE TEMP VIEW log_line AS
SELECT source, line, offset, text FROM store_log_line;

-- @fact xid
-- Xid errors of the NVIDIA driver, from kernel logs and from NVML.
-- @column evidence row or line
-- @column time? nanoseconds since 1970
-- @column xid number
-- @column pci? as printed
-- @column device? ordinal
-- @column pid? that the driver blames
-- @column text the line or the event
CREATE TEMP VIEW xid AS
SELECT 'log_event:' || id AS evidence, time,
       CAST(figures ->> '$.xid' AS INTEGER) AS xid, figures ->> '$.pci' AS pci,
       device, pid, text
  FROM store_log_event WHERE fact = 'xid'
UNION ALL
SELECT 'device_event:' || id, time, value, NULL, device, NULL, text
  FROM device_event WHERE kind = 'xid';

-- @fact kernel_event
-- Other lines of the kernel that bear on a death: OOM killer, PCIe, NVLink.
-- @column evidence the line
-- @column time? nanoseconds since 1970
-- @column signature that recognised it
-- @column pid? of the process concerned
-- @column text the line
-- @column figures JSON object of the captures
CREATE TEMP VIEW kernel_event AS
SELECT 'log_event:' || id AS evidence, time, signature, pid, text, figures
  FROM store_log_event WHERE fact = 'kernel_event';

-- @fact process_exit
-- How processes ended, from launchers, schedulers, shells and the run itself.
-- @column evidence? row or line
-- @column source run, trace or log
-- @column time? nanoseconds since 1970
-- @column rank? of the launcher
-- @column pid? of the operating system
-- @column exitcode? negative or above 128: a signal; a process does not tell it when it calls quick_exit
-- @column signal? number or name
CREATE TEMP VIEW process_exit AS
SELECT 'log_event:' || id AS evidence, 'log' AS source, time, rank, pid,
       CAST(figures ->> '$.exitcode' AS INTEGER) AS exitcode,
       figures ->> '$.signal' AS signal
  FROM store_log_event WHERE fact = 'process_exit'
UNION ALL
SELECT 'device_event:' || d.id, 'trace', d.time, p.rank, p.pid,
       CASE WHEN d.kind = 'exit' AND d.text NOT LIKE '%quick_exit%'
            THEN d.value END,
       CASE d.kind WHEN 'signal' THEN d.value END
  FROM device_event AS d JOIN process AS p USING (process)
 WHERE d.kind IN ('signal', 'exit')
UNION ALL
SELECT 'run:1', 'run', end_time, NULL, NULL, exit_code, signal
  FROM run WHERE end_time IS NOT NULL;

-- @fact collective
-- Collective operations that logs speak of.
-- @column evidence the line
-- @column time? nanoseconds since 1970
-- @column rank? that issued it
-- @column seqnum? sequence number
-- @column optype? ALLREDUCE, BROADCAST, …
-- @column timeout_ms? of the watchdog
-- @column signature that recognised it
CREATE TEMP VIEW collective AS
SELECT 'log_event:' || id AS evidence, time,
       coalesce(CAST(figures ->> '$.rank' AS INTEGER), rank) AS rank,
       CAST(figures ->> '$.seqnum' AS INTEGER) AS seqnum,
       figures ->> '$.optype' AS optype,
       CAST(figures ->> '$.timeout_ms' AS INTEGER) AS timeout_ms, signature
  FROM store_log_event WHERE fact = 'collective';

-- @fact collective_dump
-- Dumps of PyTorch's flight recorder: what one rank kept of its collectives.
-- @column process process.process
-- @column dump number
-- @column path of the file
-- @column rank? from the file's name, or from the groups in it
-- @column version of the format
-- @column nccl_version? of the communication library
-- @column entries how many
-- @column pending how many of them were not completed, those of a completed batch left out
-- @column fault? why not all of it could be read
CREATE TEMP VIEW collective_dump AS
SELECT {d.process} AS process, d.id AS dump, d.path, d.rank, d.version,
       d.library_version AS nccl_version, d.entries,
       (SELECT count(*) FROM {trace}.collective_entry AS e
          LEFT JOIN {trace}.collective_entry AS b
            ON {b.process} = {e.process} AND b.id = e.batch
         WHERE {e.process} = {d.process} AND e.dump = d.id
           AND coalesce(b.state, e.state) <> 'completed') AS pending,
       d.fault
  FROM {trace}.collective_dump AS d;

-- @fact collective_group
-- Process groups, as each dump of a flight recorder tells of them.
-- @column process process.process
-- @column dump collective_dump.dump
-- @column rank? whose dump
-- @column pg? number of the group in that process
-- @column group_name? NULL: a group that the dump does not name
-- @column description? default_pg, …
-- @column ranks? JSON list of its ranks, numbered as in the job
-- @column last_enqueued? sequence number; of a group that also sends and receives it may be of these, which are counted apart; -1 none
-- @column last_started? in the same way
-- @column last_completed? in the same way
CREATE TEMP VIEW collective_group AS
SELECT {g.process} AS process, g.dump, d.rank, g.pg, g.name AS group_name,
       g.description, g.ranks, g.last_enqueued, g.last_started,
       g.last_completed
  FROM {trace}.collective_group AS g
  JOIN {trace}.collective_dump AS d
    ON {d.process} = {g.process} AND d.id = g.dump;

-- @fact collective_entry
-- Operations that a flight recorder had kept, one row an operation and rank.
-- @column process process.process
-- @column id number, in the recorder's order
-- @column dump collective_dump.dump
-- @column rank? whose dump
-- @column record? the recorder's own number
-- @column pg? collective_group.pg
-- @column group_name? of the process group
-- @column description? of the process group
-- @column seqnum? of the collective in its group
-- @column p2p_seqnum? of the point-to-point operation in its group
-- @column op? number of the operation in its group, coalesced ones too
-- @column optype all_reduce, send, …
-- @column profiling_name as the recorder has it: nccl:send 0->1
-- @column state scheduled, started or completed
-- @column is_p2p 1: point-to-point
-- @column retired? 1: the watchdog no longer waits for it; if not completed, it timed out
-- @column time? nanoseconds since 1970 when it was enqueued
-- @column started_time? when its start was noticed
-- @column completed_time? when its end was noticed
-- @column duration_ms? on the device
-- @column timeout_ms? of the watchdog
-- @column input_sizes JSON: [[2048,5120]]
-- @column output_sizes JSON
-- @column input_dtypes JSON: ["BFloat16"]
-- @column output_dtypes JSON
-- @column thread_name? that enqueued it
-- @column stack number of the call stack, 0 none
-- @column batch? collective_entry.id of the operation that ends the batch it is part of: the recorder keeps the state of that one only
-- @column pending 1: neither it nor its batch completed
CREATE TEMP VIEW collective_entry AS
SELECT {e.process} AS process, e.id, e.dump, d.rank, e.record, e.pg,
       e.group_name, e.description, e.collective_seq AS seqnum,
       e.p2p_seq AS p2p_seqnum, e.op,
       CASE WHEN instr(substr(e.profiling_name,
                              instr(e.profiling_name, ':') + 1), ' ') > 0
            THEN substr(e.profiling_name, instr(e.profiling_name, ':') + 1,
                        instr(substr(e.profiling_name,
                                     instr(e.profiling_name, ':') + 1), ' ')
                        - 1)
            ELSE substr(e.profiling_name, instr(e.profiling_name, ':') + 1)
            END AS optype,
       e.profiling_name, e.state, e.is_p2p, e.retired,
       e.created_ns + c.offset_ns AS time,
       e.started_ns + c.offset_ns AS started_time,
       e.completed_ns + c.offset_ns AS completed_time, e.duration_ms,
       e.timeout_ms, e.input_sizes, e.output_sizes, e.input_dtypes,
       e.output_dtypes, e.thread_name, e.stack, e.batch,
       coalesce(b.state, e.state) <> 'completed' AS pending
  FROM {trace}.collective_entry AS e
  JOIN {trace}.collective_dump AS d
    ON {d.process} = {e.process} AND d.id = e.dump
  LEFT JOIN {trace}.collective_entry AS b
    ON {b.process} = {e.process} AND b.id = e.batch
  JOIN store_trace AS c ON c.process = {e.process};

-- @fact collective_stall
-- Collectives in which ranks wait for each other, from the dumps of all their
-- flight recorders: of each process group the first that did not complete
-- everywhere and, where all of its ranks came, the first that one did not
-- come to.
-- @column kind missing: some ranks did not enter; mismatch: they entered with different operations, types or sizes; entered: all entered and it did not complete; unknown: nobody is known to be missing, but not all left dumps
-- @column stall number, in the order of time
-- @column group_name of the process group
-- @column description? of the process group
-- @column members how many ranks it has; 0 not told
-- @column seqnum of the collective
-- @column optype? as most ranks called it: all_reduce, …
-- @column input_sizes? JSON
-- @column input_dtypes? JSON
-- @column time? nanoseconds since 1970 when the first rank entered
-- @column timeout_ms? of the watchdog
-- @column timed_out 1: a watchdog gave up on it
-- @column entered_ranks with commas
-- @column waiting how many entered
-- @column missing_ranks? whose dumps show that they did not enter
-- @column missing how many
-- @column dumpless_ranks? whose dumps are not there
-- @column odd_ranks? of a mismatch: those that differ from most, or all
-- @column differs? operation, type or size
-- @column expected? what most ranks called
-- @column found? what an odd rank called
CREATE TEMP VIEW collective_stall AS
SELECT kind, stall, group_name, description, members, seqnum, optype,
       input_sizes, input_dtypes, time, timeout_ms, timed_out, entered_ranks,
       waiting, missing_ranks, missing, dumpless_ranks, odd_ranks, differs,
       expected, found
  FROM store_collective_stall;

-- @fact collective_rank
-- What each rank with a dump of its flight recorder was at, when the others
-- waited.
-- @column role culprit: others wait for it, it waits for nobody; deadlock: in a ring of ranks that wait for each other; odd: it called something else than the others; waiting: it waits; idle: neither
-- @column rank of the job
-- @column process process.process
-- @column path of its dump
-- @column entries in its dump; 0: it had nothing under way
-- @column pending of these not completed
-- @column first_pending_time? nanoseconds since 1970
-- @column missing_from how many stalled collectives, or point-to-point operations of others, it did not come to
-- @column waits_for? ranks that it waits for, with commas
CREATE TEMP VIEW collective_rank AS
SELECT role, rank, process, path, entries, pending, first_pending_time,
       missing_from, waits_for
  FROM store_collective_rank;

-- @fact coverage
-- Which source was there from when to when. What has no row was not looked at.
-- @column source cupti, cudnn-plt, nvml, stacks, log, console, …
-- @column process? process.process
-- @column from_time? nanoseconds since 1970
-- @column to_time? nanoseconds since 1970, NULL: to the end
-- @column state on, off, failed
-- @column note in words
CREATE TEMP VIEW coverage AS
SELECT v.source, {v.process} AS process, v.from_ns + c.offset_ns AS from_time,
       v.to_ns + c.offset_ns AS to_time, v.state, v.note
  FROM {trace}.coverage AS v
  JOIN store_trace AS c ON c.process = {v.process}
UNION ALL
SELECT 'log', NULL, first_time, last_time,
       CASE WHEN incomplete THEN 'failed' ELSE 'on' END, path
  FROM store_log_source;

-- @fact ending
-- How the whole run ended; exactly one row.
-- @column died 1: something says that it ended badly
-- @column finished 1: something says that it completed
-- @column evidence? what says so
-- @column last_progress? log_event.id of the last sign of ordinary work
-- @column progress_count signs of ordinary work seen
CREATE TEMP VIEW ending AS
SELECT died, finished, evidence, last_progress, progress_count
  FROM store_ending;
