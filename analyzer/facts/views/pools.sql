-- SPDX-License-Identifier: Apache-2.0
-- Pools of frameworks as they describe themselves, from imported snapshots,
-- memory dumps and profiles.

-- Memory that a framework's allocator held from the driver at the end of the
-- trace, as the allocator itself says; from imported snapshots.
CREATE TEMP VIEW pool_segment AS
SELECT {process} AS process,  -- process.process
       id AS segment,         -- number
       device,                -- ordinal
       address,               -- first byte
       bytes,                 -- size
       allocated_bytes,       -- in blocks handed out
       active_bytes,          -- with those that a stream may still use
       requested_bytes,       -- asked for in these blocks
       stream,                -- handle of the only one that may take blocks from it
       type,                  -- small or large
       pool,                  -- 0.0 the common one, else a private one
       expandable,            -- 1: grows in place
       stack                  -- number of the call stack, 0 none
  FROM {trace}.pool_segment;

-- The blocks of these segments; each byte of a segment is in one of them.
CREATE TEMP VIEW pool_block AS
SELECT {b.process} AS process,  -- process.process
       b.segment,               -- pool_segment.segment
       s.device,                -- ordinal
       b.address,               -- first byte
       b.bytes,                 -- as rounded up
       b.requested_bytes,       -- asked for; of a free block the last time
       b.state,                 -- live, pending (given back, but in use by a stream) or free
       b.stack                  -- number of the call stack, 0 none
  FROM {trace}.pool_block AS b
  JOIN {trace}.pool_segment AS s
    ON {s.process} = {b.process} AND s.id = b.segment;

-- What TensorFlow's allocator says of its chunks; from imported memory
-- dumps.
CREATE TEMP VIEW pool_chunk AS
SELECT {c.process} AS process,  -- process.process
       s.device,                -- ordinal, -1 for host memory
       s.pool AS allocator,     -- as in GPU_0_bfc
       b.segment,               -- pool_segment.segment: the region that it lies in
       b.address,               -- first byte
       b.bytes,                 -- size
       b.requested_bytes,       -- asked for; of a free chunk the last time
       b.state,                 -- live or free
       c.bin,                   -- of the allocator's free lists; -1 while in use
       c.op,                    -- operation that has it or had it last; empty where the build
                                -- does not tell
       c.step,                  -- in which it was asked for, 0 unknown
       c.action,                -- number of the allocator's last act on it, 0 unknown
       c.freed_at               -- count of the timing counter at its free, 0 none
  FROM {trace}.pool_chunk AS c
  JOIN {trace}.pool_block AS b ON {b.process} = {c.process} AND b.id = c.block
  JOIN {trace}.pool_segment AS s
    ON {s.process} = {b.process} AND s.id = b.segment;

-- The chunks of TensorFlow's allocator by their size; from imported memory
-- dumps.
CREATE TEMP VIEW pool_bin AS
SELECT {process} AS process,  -- process.process
       allocator,             -- as in GPU_0_bfc
       bin,                   -- number; each is for twice the size of the one before, from 256
       bytes,                 -- of all chunks of such a size
       bytes_in_use,          -- of those in use
       chunks,                -- how many
       chunks_in_use          -- of these
  FROM {trace}.pool_bin;

-- What TensorFlow's allocator says of itself where a request could not be
-- met; from imported memory dumps.
CREATE TEMP VIEW pool_statistics AS
SELECT p.allocator,                      -- as in GPU_0_bfc
       {p.process} AS process,           -- process.process
       p.device,                         -- ordinal, -1 for host memory
       p.time_ns + c.offset_ns AS time,  -- nanoseconds since 1970
       p.num_allocs,                     -- since the start
       p.bytes_in_use AS in_use_bytes,   -- in chunks in use
       p.peak_bytes_in_use AS max_in_use_bytes,  -- most at once
       p.largest_alloc_bytes AS max_alloc_bytes,  -- largest chunk ever handed out
       p.fragmentation,                  -- 1 - largest free chunk / all free bytes, 0 to 1
       (SELECT coalesce(sum(bytes), 0) FROM {trace}.pool_block AS b
         WHERE {b.process} = {p.process}) AS chunk_bytes,  -- of all chunks in the dump
       (SELECT coalesce(sum(bytes), 0) FROM {trace}.pool_block AS b
         WHERE {b.process} = {p.process} AND state = 'free') AS free_bytes,  -- of the free ones
       (SELECT coalesce(max(bytes), 0) FROM {trace}.pool_block AS b
         WHERE {b.process} = {p.process}
           AND state = 'free') AS largest_free_bytes,  -- the largest of these
       (SELECT count(*) FROM {trace}.pool_block AS b
         WHERE {b.process} = {p.process} AND state = 'free') AS free_chunks  -- how many
  FROM {trace}.pool_statistics AS p
  JOIN store_trace AS c ON c.process = {p.process};

-- Bytes in use after each of the last acts of TensorFlow's allocator; from
-- imported memory dumps of builds that keep them.
CREATE TEMP VIEW pool_history AS
SELECT {process} AS process,  -- process.process
       action,                -- number of the act
       bytes_in_use           -- after it
  FROM {trace}.pool_history;

-- What a device memory profile of JAX counted as live, a row a sample.
CREATE TEMP VIEW profile_sample AS
SELECT {process} AS process,  -- process.process
       id AS sample,          -- number, in the order of the file
       kind,                  -- buffer or executable
       device,                -- ordinal, -1 unknown
       device_name,           -- as the profile has it, may be empty
       count,                 -- how many that are alike
       bytes,                 -- all of them; negative if sizes are unknown
       stack                  -- number of the call stack, 0 none
  FROM {trace}.profile_sample;
