-- SPDX-License-Identifier: Apache-2.0
-- The recorded run and its surroundings: processes, devices, libraries,
-- packages, environment.

-- The recorded run, if `inquest record` made the directory.
CREATE TABLE store_run (
  directory TEXT NOT NULL,  -- its path
  command TEXT,             -- what was run
  host TEXT,                -- on which machine
  start_time INTEGER,       -- nanoseconds since 1970
  end_time INTEGER,         -- nanoseconds since 1970
  exit_code INTEGER,        -- as the shell would see it
  signal INTEGER,           -- number of the signal that ended it
  collector INTEGER,        -- 1: with the collector in its processes; 0: only its output was kept
  state TEXT,               -- ended; alive: its process runs on this machine; vanished: it does
                            -- not, and no end was written; NULL: unknown
  slurm_job TEXT            -- id of the job of Slurm in which it was started
);

-- A recorded process; one trace each.
CREATE TEMP VIEW process AS
SELECT {p.process} AS process,                  -- number of the process in this analysis, from
                                                -- 1
       nullif(p.pid, 0) AS pid,                 -- ? of the operating system; not every imported file
                                                -- has it
       nullif(p.parent_pid, 0) AS parent_pid,   -- ? of the operating system
       p.rank,                                  -- ? from the launcher's environment, or from the
                                                -- name of an imported snapshot
       p.local_rank,                            -- ? rank on its node
       p.world_size,                            -- ? how many ranks the launcher said there are
       p.job_id,                                -- ? the scheduler's
       p.host,                                  -- machine
       p.executable,                            -- path
       p.command,                               -- arguments, separated by spaces
       p.start_ns + c.offset_ns AS start_time,  -- nanoseconds since 1970
       c.end_ns + c.offset_ns AS end_time,      -- last sign of life in the trace, nanoseconds
                                                -- since 1970
       c.clean_end,                             -- 1: the process ended cleanly
       c.state                                  -- ? ended; alive; vanished: it left a journal and
                                                -- no word of its end
  FROM {trace}.process AS p
  JOIN store_trace AS c ON c.process = {p.process};

-- A GPU as a recorded process saw it.
CREATE TEMP VIEW device AS
SELECT {process} AS process,                 -- process.process
       ordinal AS device,                    -- ordinal in that process
       name AS gpu,                          -- product name
       uuid,                                 -- of the GPU
       pci,                                  -- dddd:bb:dd.f
       total_bytes,                          -- memory of the device
       compute_capability,                   -- as in 9.0
       driver_version AS driver,             -- ? version of the kernel driver
       cuda_driver_version AS cuda_driver,   -- ? highest CUDA the driver supports, as in 13000
       cuda_runtime_version AS cuda_runtime  -- ? CUDA runtime in use, as in 13000
  FROM {trace}.device;

-- A library mapped into a recorded process, with its version.
CREATE TEMP VIEW library AS
SELECT {l.process} AS process,          -- process.process
       l.name,                          -- soname: libcudnn_ops.so.9
       l.path,                          -- file
       l.version,                       -- ? as the library or its file name says
       l.version_source,                -- ? how the version was found
       l.compiled_version,              -- ? what its caller was built against
       l.time_ns + c.offset_ns AS time  -- nanoseconds since 1970 when it was first seen
  FROM {trace}.library AS l
  JOIN store_trace AS c ON c.process = {l.process};

-- The parts of cuDNN that belong beside a libcudnn.so that a process loaded,
-- whether they are there or not.
CREATE TEMP VIEW library_part AS
SELECT {b.process} AS process,           -- process.process
       b.time_ns + c.offset_ns AS time,  -- nanoseconds since 1970
       b.name,                           -- libcudnn_cnn.so.9
       b.path,                           -- where it belongs
       b.whole,                          -- library.path of the libcudnn.so
       b.present,                        -- 1: the file is there
       b.package_version,                -- ? of the Python package that lists the file
       b.of_package                      -- ? 1: the file has the size that the package lists; 0:
                                         -- another; NULL: no package lists it
  FROM {trace}.library_part AS b
  JOIN store_trace AS c ON c.process = {b.process};

-- What a recorded process could see of NVIDIA's driver, from the moment on at
-- which the row was written; the last one is how it ended.
CREATE TEMP VIEW driver AS
SELECT {d.process} AS process,           -- process.process
       d.time_ns + c.offset_ns AS time,  -- nanoseconds since 1970
       d.loaded,                         -- 1: libcuda.so.1 was loaded
       d.library,                        -- ? its file, or the one that the linker would have
                                         -- found; NULL: there is none
       d.library_version,                -- ? NVIDIA's number in its file's name: 580.95.05
       d.cuda,                           -- ? the highest CUDA that it says it serves: 13.0
       d.init_result,                    -- ? what cuInit returned; NULL: no call was seen
       d.init_name,                      -- ? of that result: CUDA_ERROR_NO_DEVICE
       d.kernel_version,                 -- ? of the kernel's module; NULL: it is not loaded
       d.device_files,                   -- GPUs in /dev
       d.device_error                    -- ? why none of them may be opened
  FROM {trace}.driver AS d
  JOIN store_trace AS c ON c.process = {d.process};

-- Control groups that limited a recorded process's host memory, or (process is
-- NULL) the command's, before it and after its end.
CREATE TEMP VIEW cgroup_memory AS
SELECT {g.process} AS process,           -- ? process.process
       g.time_ns + c.offset_ns AS time,  -- nanoseconds since 1970
       g.path,                           -- the group's folder
       g.limit_bytes,                    -- ? NULL: no limit of its own
       g.used_bytes,                     -- ? at that time
       g.peak_bytes,                     -- ? the most it ever used
       g.refusals,                       -- ? how often the limit was met
       g.ooms,                           -- ? and nothing could be reclaimed
       g.oom_kills                       -- ? processes that the kernel killed in it
  FROM {trace}.cgroup_memory AS g
  JOIN store_trace AS c ON c.process = {g.process}
UNION ALL
SELECT NULL, time, path, limit_bytes, used_bytes, peak_bytes, refusals, ooms, oom_kills
  FROM store_run_group;

-- How many processes the kernel killed for lack of host memory in the command's
-- control groups while it ran; no row where they were not read.
CREATE TEMP VIEW group_kill AS
SELECT max(last) AS time,    -- of the last reading, as in cgroup_memory
       max(kills) AS kills,  -- ? NULL: read once, so nothing is known
       count(*) AS groups    -- that were read
  FROM (SELECT path, max(time) AS last,
               CASE WHEN count(DISTINCT time) > 1
                    THEN max(oom_kills) - min(oom_kills) END AS kills
          FROM cgroup_memory WHERE process IS NULL GROUP BY path)
HAVING count(*) > 0;

-- Frameworks in a recorded process, by the files of their Python packages.
CREATE TEMP VIEW package AS
SELECT {k.process} AS process,          -- process.process
       k.name,                          -- torch, tensorflow, jax, jaxlib, …
       k.version,                       -- as written: 2.9.0+cu128
       k.version_source,                -- its source: version.py, dist-info
       k.cuda,                          -- ? what it was built with
       k.cudnn,                         -- ? what it was built with
       k.path,                          -- the package's folder
       k.time_ns + c.offset_ns AS time  -- nanoseconds since 1970 when it was first seen
  FROM {trace}.package AS k
  JOIN store_trace AS c ON c.process = {k.process};

-- Results of cuDNN's parts when they compared their version with their
-- dependencies. The collector called the checks, not the program.
CREATE TEMP VIEW library_check AS
SELECT {k.process} AS process,           -- process.process
       k.time_ns + c.offset_ns AS time,  -- nanoseconds since 1970
       l.name,                           -- soname of the part: libcudnn_ops.so.9
       k.path,                           -- of the file
       k.function,                       -- that was asked: cudnnOpsVersionCheck
       k.result,                         -- cudnnStatus_t, 0: they fit
       k.name AS status                  -- of the result in words:
                                         -- CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH
  FROM {trace}.library_check AS k
  JOIN store_trace AS c ON c.process = {k.process}
  LEFT JOIN {trace}.library AS l
    ON {l.process} = {k.process} AND l.path = k.path AND l.base = k.base;

-- Allow-listed environment variables of a recorded process.
CREATE TEMP VIEW environment AS
SELECT {process} AS process,  -- process.process
       name,                  -- of the variable
       value                  -- of the variable
  FROM {trace}.environment;
