-- SPDX-License-Identifier: Apache-2.0
-- Device memory as recorded: the calls that moved it, the driver's figures of
-- the device, and the operations of frameworks' allocators.

-- Every recorded call that moved device memory, in the order it took effect.
CREATE TEMP VIEW memory_event AS
SELECT {m.process} AS process,           -- process.process
       m.id,                             -- number in its trace
       m.time_ns + c.offset_ns AS time,  -- nanoseconds since 1970
       {memory_op m.op} AS op,           -- alloc, free, free_failed, map, unmap, reserve,
                                         -- unreserve, trim, register, unregister,
                                         -- context_destroy, retain, access, pool_create,
                                         -- pool_threshold
       {memory_kind m.kind} AS kind,     -- device, managed, async, host, physical, array, ipc,
                                         -- external, framework, segment, mapped
       m.device,                         -- ordinal, -1 for host memory
       m.address,                        -- of the block, 0 where the call failed
       m.bytes,                          -- asked for, 0 in a free
       m.result,                         -- CUresult, 0 success, 2 out of memory
       m.thread,                         -- kernel thread id
       m.stack,                          -- number of the call stack, 0 none
       m.stream,                         -- handle, 0 the default stream or a synchronous call
       m.pool                            -- handle of its pool; of a map the mapped memory's; 0
                                         -- none
  FROM {trace}.memory_event AS m
  JOIN store_trace AS c ON c.process = {m.process};

-- Free and total memory of a device as the driver reported it.
CREATE TEMP VIEW device_memory AS
SELECT {m.process} AS process,           -- process.process
       m.time_ns + c.offset_ns AS time,  -- nanoseconds since 1970
       m.device,                         -- ordinal
       m.free_bytes,                     -- free on the device, all processes counted
       m.total_bytes,                    -- the device's size
       m.reason                          -- start, timer, failure, end
  FROM {trace}.device_memory AS m
  JOIN store_trace AS c ON c.process = {m.process};

-- Who else held memory on a device.
CREATE TEMP VIEW device_process AS
SELECT {d.process} AS process,           -- process.process that looked
       d.time_ns + c.offset_ns AS time,  -- nanoseconds since 1970
       d.device,                         -- ordinal
       d.pid,                            -- the other process
       d.used_bytes,                     -- ? what it held
       d.name,                           -- ? its command, or at least its name
       d.reason                          -- start, timer, failure, end
  FROM {trace}.device_process AS d
  JOIN store_trace AS c ON c.process = {d.process};

-- Requests that the allocator inside a framework gave up on (PyTorch's
-- caching allocator), after it had given back what it could and asked the
-- driver.
CREATE TEMP VIEW framework_oom AS
SELECT {f.process} AS process,           -- process.process
       f.id,                             -- number in its trace
       f.time_ns + c.offset_ns AS time,  -- nanoseconds since 1970
       f.device,                         -- ordinal
       f.requested_bytes,                -- as the allocator rounded them up
       f.allocated_bytes,                -- ? live inside the allocator
       f.reserved_bytes,                 -- ? held by the allocator from the driver
       f.reserved_bytes - f.allocated_bytes AS reserved_unallocated_bytes,
                                         -- ? reserved and not live
       f.thread,                         -- kernel thread id
       f.stack,                          -- number of the call stack, 0 none
       EXISTS (SELECT 1 FROM {trace}.framework_block AS b
                WHERE {b.process} = {f.process}
                  AND b.device = f.device AND b.id > f.id
                  AND (b.stack = f.stack AND f.stack <> 0
                       AND b.bytes >= f.requested_bytes / 2
                       OR b.thread = f.thread
                      AND b.bytes = f.requested_bytes
                       OR b.thread = f.thread
                      AND b.bytes >= f.requested_bytes / 2
                      AND (SELECT t.frame FROM {trace}.python_stack AS t
                            WHERE {t.process} = {b.process}
                              AND t.stack = b.stack AND t.depth = 0)
                        = (SELECT t.frame FROM {trace}.python_stack AS t
                            WHERE {t.process} = {f.process}
                              AND t.stack = f.stack AND t.depth = 0)))
         OR EXISTS (SELECT 1 FROM store_step AS s
                     WHERE s.process = {f.process}
                       AND s.end_time > f.time_ns + c.offset_ns
                     LIMIT 1 OFFSET 2) AS survived,
                                         -- 1: the same code (the same line of Python in the
                                         -- same thread) had half of it or more later, or
                                         -- the thread just as much, or whole steps followed
       CASE WHEN f.requested_bytes <= 1048576 THEN 2097152
             WHEN f.requested_bytes < 10485760 THEN 20971520
             ELSE (f.requested_bytes + 2097151) / 2097152 * 2097152
             END AS segment_bytes        -- what the allocator has to ask the driver for where no
                                         -- free block serves it, at PyTorch's usual settings
  FROM {trace}.framework_oom AS f
  JOIN store_trace AS c ON c.process = {f.process};

-- Blocks that the allocator inside a framework handed out: all that were
-- live at the end, and of the others the last to be freed.
CREATE TEMP VIEW framework_block AS
SELECT {b.process} AS process,                  -- process.process
       b.id,                                    -- number in its trace; order of allocation
       b.time_ns + c.offset_ns AS time,         -- nanoseconds since 1970
       b.freed_ns + c.offset_ns AS freed_time,  -- ? nanoseconds since 1970, NULL: live at the
                                                -- end
       b.device,                                -- ordinal
       b.address,                               -- of the block, or the allocator's handle of it
       b.address_is,                            -- device or handle
       b.bytes,                                 -- as the allocator rounded them up
       b.allocated_bytes,                       -- ? live inside the allocator, with this one
       b.reserved_bytes,                        -- ? held by the allocator from the driver
       b.thread,                                -- kernel thread id
       b.stack                                  -- number of the call stack, 0 none
  FROM {trace}.framework_block AS b
  JOIN store_trace AS c ON c.process = {b.process};

-- What the allocator inside a framework had in use and held over time: a row
-- a second in which it did something, in long runs for more than a second
-- each.
CREATE TEMP VIEW framework_memory AS
SELECT {f.process} AS process,                  -- process.process
       f.id,                                    -- number in its trace; order of beginning
       f.device,                                -- ordinal
       f.first_ns + c.offset_ns AS first_time,  -- nanoseconds since 1970
       f.last_ns + c.offset_ns AS last_time,    -- nanoseconds since 1970
       f.allocations,                           -- how many
       f.frees,                                 -- how many
       f.allocated_bytes,                       -- ? live at last_time
       f.reserved_bytes,                        -- ? held from the driver at last_time
       f.peak_allocated_bytes,                  -- ? most that was live
       f.peak_reserved_bytes                    -- ? most that was held
  FROM {trace}.framework_memory AS f
  JOIN store_trace AS c ON c.process = {f.process};

-- Blocks of a framework's pool that went free later than the program gave
-- them back: another stream had used them (record_stream), or a CUDA graph
-- was being captured. From imported snapshots.
CREATE TEMP VIEW late_free AS
SELECT {l.process} AS process,                -- process.process
       l.id,                                  -- number in its trace
       l.device,                              -- ordinal
       l.address,                             -- first byte
       l.bytes,                               -- asked for
       l.requested_ns + c.offset_ns AS time,  -- nanoseconds since 1970 when it was given back
       l.completed_ns + c.offset_ns AS freed_time,
                                              -- ? nanoseconds since 1970 when it went free,
                                              -- NULL: not yet
       l.completed_ns - l.requested_ns AS waited,  -- ? nanoseconds between the two
       l.stack                                -- number of the call stack, 0 none: where it was
                                              -- given back or, where only those of allocations
                                              -- were recorded, made
  FROM {trace}.late_free AS l
  JOIN store_trace AS c ON c.process = {l.process};
