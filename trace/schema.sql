-- SPDX-License-Identifier: Apache-2.0
-- The trace of one process, schema 1. Written by the collector's drain and by
-- FinishTrace for a dead process's journal; read by the analyzer and by anyone
-- with sqlite3. Additive changes keep the version, others raise it.
--
-- Times are nanoseconds of CLOCK_MONOTONIC of the recording host; clock_anchor
-- relates them to the wall clock. Sizes are bytes. Addresses and handles are
-- 64-bit values stored as SQLite integers (two's complement).
-- `result` columns hold the number of the API's own enum; 0 is success.

PRAGMA application_id = 0x494e5155;  -- 'INQU'
PRAGMA user_version = 1;

-- What the trace says about itself. Keys: schema_version, collector_version,
-- drained_ticket (journal slots already in this file), clean_end (0 or 1),
-- finished_by (collector, analyzer, a kind of import), end_ns (last sign of
-- life).
CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;

-- The recorded process; exactly one row.
CREATE TABLE process (
  pid INTEGER NOT NULL,
  parent_pid INTEGER NOT NULL,
  start_ns INTEGER NOT NULL,
  host TEXT NOT NULL,
  executable TEXT NOT NULL,
  command TEXT NOT NULL,            -- arguments separated by spaces
  rank INTEGER,                     -- from RANK, SLURM_PROCID, OMPI_… or NULL
  local_rank INTEGER,
  world_size INTEGER,
  job_id TEXT
);

-- The same moment on both clocks, at least once a minute.
CREATE TABLE clock_anchor (
  monotonic_ns INTEGER NOT NULL,
  realtime_ns INTEGER NOT NULL      -- since 1970-01-01 UTC
);

-- Allow-listed variables only; see collector/process/environment.cc.
CREATE TABLE environment (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;

-- Files mapped into the process that matter for versions and symbols.
CREATE TABLE library (
  id INTEGER PRIMARY KEY,
  time_ns INTEGER NOT NULL,         -- when first seen
  name TEXT NOT NULL,               -- soname without path: libcudnn_ops.so.9
  path TEXT NOT NULL,
  version TEXT,                     -- as the library or its file name says
  version_source TEXT,              -- call, symbol, file name, package
  compiled_version TEXT,            -- what its caller was built against
  build_id TEXT,                    -- GNU build id, hex
  base INTEGER NOT NULL,            -- load address
  size INTEGER NOT NULL             -- bytes mapped
);

CREATE TABLE device (
  ordinal INTEGER PRIMARY KEY,      -- as this process numbers its devices
  name TEXT NOT NULL,
  uuid TEXT NOT NULL,
  pci TEXT NOT NULL,                -- dddd:bb:dd.f
  total_bytes INTEGER NOT NULL,
  compute_capability TEXT NOT NULL, -- 9.0
  driver_version TEXT,              -- 580.95.05, from NVML
  cuda_driver_version INTEGER,      -- as cuDriverGetVersion: 13000
  cuda_runtime_version INTEGER
);

-- Free and total memory of a device as the driver reports it.
CREATE TABLE device_memory (
  time_ns INTEGER NOT NULL,
  device INTEGER NOT NULL,
  free_bytes INTEGER NOT NULL,
  total_bytes INTEGER NOT NULL,
  reason TEXT NOT NULL              -- start, timer, failure, end
);

-- Who else held memory on a device (NVML).
CREATE TABLE device_process (
  time_ns INTEGER NOT NULL,
  device INTEGER NOT NULL,
  pid INTEGER NOT NULL,
  used_bytes INTEGER,               -- NULL: NVML does not say
  name TEXT,
  reason TEXT NOT NULL
);

-- Every call that allocated, freed or mapped device memory, in the order in
-- which the calls took effect: frees are recorded when the call begins,
-- allocations when it has returned, so that an address is free before it is
-- handed out again.
CREATE TABLE memory_event (
  id INTEGER PRIMARY KEY,           -- the journal's order
  time_ns INTEGER NOT NULL,
  op INTEGER NOT NULL,              -- trace/records/event.h MemoryOp
  kind INTEGER NOT NULL,            -- trace/records/event.h MemoryKind
  device INTEGER NOT NULL,          -- -1: host memory or unknown
  context INTEGER NOT NULL,         -- CUPTI's context uid, 0 unknown
  stream INTEGER NOT NULL,          -- handle; 0 default stream or synchronous
  pool INTEGER NOT NULL,            -- handle; for a map the memory's handle; 0 none
  address INTEGER NOT NULL,         -- if refused: how many equal ones before have no row
  bytes INTEGER NOT NULL,           -- requested; 0 in a free
  result INTEGER NOT NULL,
  thread INTEGER NOT NULL,          -- kernel thread id
  stack INTEGER NOT NULL            -- stack.id, 0 none
);

-- Interned call stacks: return addresses, innermost first, 8 bytes each; empty
-- if only Python frames were recorded.
CREATE TABLE stack (
  id INTEGER PRIMARY KEY,
  frames BLOB NOT NULL
);

-- Failed calls of the driver and runtime API and of cuDNN. Of equal failures in
-- a row in one thread the first is kept in full and the others are counted.
CREATE TABLE api_error (
  id INTEGER PRIMARY KEY,           -- the journal's order
  time_ns INTEGER NOT NULL,
  api TEXT NOT NULL,                -- driver, runtime, cudnn, nvml
  function TEXT NOT NULL,
  result INTEGER NOT NULL,
  name TEXT NOT NULL,               -- CUDA_ERROR_ILLEGAL_ADDRESS
  text TEXT NOT NULL,               -- the library's own words, may be empty
  device INTEGER NOT NULL,
  thread INTEGER NOT NULL,
  stack INTEGER NOT NULL,
  sticky INTEGER NOT NULL,          -- 1: the context is lost from here on
  repeats INTEGER NOT NULL DEFAULT 0  -- equal failures that were only counted
);

-- The last calls one by one, and every failed one; cudnn_stat counts all. Of
-- the calls that only make, fill, read or free a descriptor only the failed
-- ones are here.
CREATE TABLE cudnn_call (
  id INTEGER PRIMARY KEY,           -- the journal's order
  time_ns INTEGER NOT NULL,         -- at return
  function TEXT NOT NULL,
  result INTEGER NOT NULL,
  duration_ns INTEGER NOT NULL,
  handle INTEGER NOT NULL,
  thread INTEGER NOT NULL,
  detail TEXT                       -- JSON: what the wrapper knows about operands;
                                    -- for a layer's failed call first
                                    -- operation, algorithm and workspace_bytes;
                                    -- range: the innermost open NVTX range
);

CREATE TABLE cudnn_stat (
  function TEXT NOT NULL,
  result INTEGER NOT NULL,
  calls INTEGER NOT NULL,
  total_ns INTEGER NOT NULL,
  max_ns INTEGER NOT NULL,
  PRIMARY KEY (function, result)
) WITHOUT ROWID;

-- The layers that cuDNN worked on, distinguished by the contents of their
-- descriptors; a graph of the backend API counts as one. The id is a hash of
-- function and descriptors, above 0.
CREATE TABLE cudnn_operation (
  id INTEGER PRIMARY KEY,
  function TEXT NOT NULL,
  text TEXT NOT NULL                -- x f32 32x64x56x56, w 64x64x3x3, pad 1x1, …
);

-- Calls in a row of one function on one operation with the same algorithm and
-- the same workspace; a new row begins when either changes, or anything else in
-- cudnn_choice. Host time: the work itself is asynchronous.
CREATE TABLE cudnn_interval (
  id INTEGER PRIMARY KEY,           -- in the order of beginning
  function TEXT NOT NULL,
  operation INTEGER NOT NULL,       -- cudnn_operation.id, 0 unknown
  algorithm INTEGER NOT NULL,       -- number in the function's own enum; of
                                    -- cudnnBackendExecute the engine's global
                                    -- index; -1 if there is no choice
  workspace_bytes INTEGER NOT NULL, -- given, not needed; for a plan 0 if none
                                    -- is given, else what the plan requests
  first_ns INTEGER NOT NULL,        -- at the first call's return
  last_ns INTEGER NOT NULL,
  calls INTEGER NOT NULL,
  failed INTEGER NOT NULL,          -- of these
  total_ns INTEGER NOT NULL,
  min_ns INTEGER NOT NULL,
  max_ns INTEGER NOT NULL
);

-- Text from libraries: cuDNN's log callback, NVML.
CREATE TABLE message (
  id INTEGER PRIMARY KEY,
  time_ns INTEGER NOT NULL,
  source TEXT NOT NULL,             -- cudnn, nvml, collector, nsys
  severity TEXT NOT NULL,           -- info, warning, error, fatal
  text TEXT NOT NULL
);

-- NVTX ranges and marks that may be training steps; the analyzer chooses.
CREATE TABLE step (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  begin_ns INTEGER NOT NULL,
  end_ns INTEGER,                   -- NULL: the process died inside
  thread INTEGER NOT NULL
);

-- Xid and ECC events from NVML, fatal signals, exit.
CREATE TABLE device_event (
  id INTEGER PRIMARY KEY,
  time_ns INTEGER NOT NULL,
  device INTEGER NOT NULL,          -- -1: the process, not a device
  kind TEXT NOT NULL,               -- xid, ecc, signal, exit
  value INTEGER NOT NULL,
  text TEXT NOT NULL
);

-- Which source was recording from when to when; a gap is evidence, too.
CREATE TABLE coverage (
  source TEXT NOT NULL,             -- cupti, cudnn-plt, cudnn-dlsym, nvml, …
  from_ns INTEGER NOT NULL,
  to_ns INTEGER,                    -- NULL: to the end
  state TEXT NOT NULL,              -- on, off, failed
  note TEXT NOT NULL
);

-- What the collector could not keep, by kind; empty is the good case.
CREATE TABLE loss (
  kind TEXT PRIMARY KEY,
  count INTEGER NOT NULL,
  note TEXT NOT NULL
) WITHOUT ROWID;

-- Makes room when a trace approaches its disk budget: memory events up to one
-- id are removed from memory_event, and their exact totals are kept here.
-- Failed events stay in memory_event. One row as soon as anything has been
-- folded; a replay starts from these tables and continues with the events after
-- `event`.
CREATE TABLE checkpoint (
  event INTEGER NOT NULL,           -- memory_event.id of the last one folded
  time_ns INTEGER NOT NULL,         -- the latest time of those folded
  folded INTEGER NOT NULL,          -- events, failed ones included
  freed_device INTEGER NOT NULL,    -- the block freed last, in case the next
  freed_address INTEGER NOT NULL,   -- event says that this free failed
  freed_bytes INTEGER NOT NULL,
  freed_event INTEGER NOT NULL,
  freed_time_ns INTEGER NOT NULL,
  freed_stack INTEGER NOT NULL,
  freed_context INTEGER NOT NULL,
  freed_kind INTEGER NOT NULL
);

-- What was live.
CREATE TABLE checkpoint_block (
  device INTEGER NOT NULL,
  layer INTEGER NOT NULL,           -- 0 addresses, 1 handles, 2 in a framework
  address INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  event INTEGER NOT NULL,           -- memory_event.id of its allocation
  time_ns INTEGER NOT NULL,
  stack INTEGER NOT NULL,
  context INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  PRIMARY KEY (device, layer, address)
) WITHOUT ROWID;

CREATE TABLE checkpoint_heap (
  device INTEGER NOT NULL,
  layer INTEGER NOT NULL,
  lowest INTEGER NOT NULL,          -- address ever handed out
  highest INTEGER NOT NULL,         -- first byte after the highest address
  live_bytes INTEGER NOT NULL,
  peak_bytes INTEGER NOT NULL,
  peak_ns INTEGER NOT NULL,
  allocations INTEGER NOT NULL,
  frees INTEGER NOT NULL,
  unknown_frees INTEGER NOT NULL,
  overlaps INTEGER NOT NULL,
  PRIMARY KEY (device, layer)
) WITHOUT ROWID;

CREATE TABLE checkpoint_device (
  device INTEGER PRIMARY KEY,
  failed INTEGER NOT NULL,
  peak_bytes INTEGER NOT NULL,      -- of layers 0 and 1 together
  peak_ns INTEGER NOT NULL
);

-- Where physical VMM memory was mapped, and what held it besides its handle:
-- mappings and further handles.
CREATE TABLE checkpoint_mapping (
  address INTEGER PRIMARY KEY,
  handle INTEGER NOT NULL
);

CREATE TABLE checkpoint_hold (
  handle INTEGER PRIMARY KEY,
  holds INTEGER NOT NULL
);

-- The totals of each call stack, in the order of its first event.
CREATE TABLE checkpoint_site (
  id INTEGER PRIMARY KEY,
  stack INTEGER NOT NULL,
  device INTEGER NOT NULL,
  allocations INTEGER NOT NULL,
  frees INTEGER NOT NULL,
  failures INTEGER NOT NULL,
  allocated_bytes INTEGER NOT NULL,
  live_bytes INTEGER NOT NULL,
  peak_bytes INTEGER NOT NULL,
  UNIQUE (stack, device)
);

-- The heap at requests that were refused because memory was short.
CREATE TABLE checkpoint_refusal (
  event INTEGER PRIMARY KEY,        -- memory_event.id, still there
  device INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  live_bytes INTEGER NOT NULL,
  framework_bytes INTEGER NOT NULL,
  gap_bytes INTEGER NOT NULL,
  largest_gap_bytes INTEGER NOT NULL,
  whole_chunk_bytes INTEGER NOT NULL, -- of the gaps, in whole driver chunks
  gaps INTEGER NOT NULL,
  survived INTEGER NOT NULL         -- 1: granted later, see SurvivedBy in ledger.h
);

-- What the process held on all devices when a step ended.
CREATE TABLE checkpoint_step (
  step INTEGER PRIMARY KEY,         -- step.id
  live_bytes INTEGER NOT NULL
);
-- Blocks that a framework's own allocator handed out inside the memory it holds
-- (PyTorch's caching allocator): all that were live at the end, and of the
-- others the last 10,000 to be freed.
CREATE TABLE framework_block (
  id INTEGER PRIMARY KEY,           -- the journal's order
  device INTEGER NOT NULL,
  address INTEGER NOT NULL,
  address_is TEXT NOT NULL,         -- device, or handle: of PyTorch up to 1.9
  bytes INTEGER NOT NULL,           -- as the allocator rounded them up
  time_ns INTEGER NOT NULL,
  freed_ns INTEGER,                 -- NULL: live at the end
  thread INTEGER NOT NULL,
  stack INTEGER NOT NULL,           -- stack.id, 0 none
  allocated_bytes INTEGER,          -- all live blocks, with this one
  reserved_bytes INTEGER            -- what the allocator held from the driver
);

-- The memory that such an allocator had in use and reserved over time: one row
-- per second with activity; after 10,000 rows of a device one per two seconds,
-- after 20,000 one per four, and so on. Sums are NULL if the allocator does not
-- report them.
CREATE TABLE framework_memory (
  id INTEGER PRIMARY KEY,           -- in the order of beginning
  device INTEGER NOT NULL,
  first_ns INTEGER NOT NULL,
  last_ns INTEGER NOT NULL,
  allocations INTEGER NOT NULL,
  frees INTEGER NOT NULL,
  allocated_bytes INTEGER,          -- at last_ns
  reserved_bytes INTEGER,
  peak_allocated_bytes INTEGER,
  peak_reserved_bytes INTEGER
);

-- Requests that such an allocator refused after it had tried everything.
CREATE TABLE framework_oom (
  id INTEGER PRIMARY KEY,           -- the journal's order
  time_ns INTEGER NOT NULL,
  device INTEGER NOT NULL,
  requested_bytes INTEGER NOT NULL, -- as the allocator rounded them up
  allocated_bytes INTEGER,
  reserved_bytes INTEGER,
  thread INTEGER NOT NULL,
  stack INTEGER NOT NULL
);

-- Frameworks in this process, by the files of their Python packages.
CREATE TABLE package (
  name TEXT NOT NULL,               -- torch, tensorflow, jax, jaxlib, …
  version TEXT NOT NULL,            -- as written: 2.9.0+cu128
  version_source TEXT NOT NULL,     -- version.py, dist-info
  cuda TEXT,                        -- of the build
  cudnn TEXT,
  path TEXT NOT NULL,               -- the package's folder
  time_ns INTEGER NOT NULL,         -- when first seen
  PRIMARY KEY (name, path)
) WITHOUT ROWID;
-- How an operation was run; cudnn_interval_choice says in which intervals.
CREATE TABLE cudnn_choice (
  id INTEGER PRIMARY KEY,           -- hash of all that follows, above 0
  function TEXT NOT NULL,
  operation INTEGER NOT NULL,       -- cudnn_operation.id, 0 unknown
  algorithm INTEGER NOT NULL,       -- as in cudnn_interval
  workspace_bytes INTEGER NOT NULL, -- as in cudnn_interval
  workspace_asked INTEGER,          -- what cuDNN said it needs; NULL: not asked
  knobs TEXT                        -- of a plan's engine: tile_size 4, stages 2
);

CREATE TABLE cudnn_interval_choice (
  interval INTEGER PRIMARY KEY,     -- cudnn_interval.id
  choice INTEGER NOT NULL           -- cudnn_choice.id
);
-- Places in Python programs, each recorded once even if its code object is made
-- many times.
CREATE TABLE python_frame (
  id INTEGER PRIMARY KEY,
  file TEXT NOT NULL,               -- as the code object has it
  line INTEGER NOT NULL,            -- 0 unknown
  function TEXT NOT NULL            -- qualified from Python 3.11 on
);

-- The Python half of a call stack; see stack for the native one.
CREATE TABLE python_stack (
  stack INTEGER NOT NULL,           -- stack.id
  depth INTEGER NOT NULL,           -- 0 innermost
  frame INTEGER NOT NULL,           -- python_frame.id, 0 not kept
  PRIMARY KEY (stack, depth)
) WITHOUT ROWID;

-- The results of libraries' version checks against those they depend on: the
-- collector calls the check of each part of cuDNN once.
CREATE TABLE library_check (
  time_ns INTEGER NOT NULL,
  path TEXT NOT NULL,               -- library.path
  base INTEGER NOT NULL,            -- library.base
  function TEXT NOT NULL,           -- cudnnOpsVersionCheck
  result INTEGER NOT NULL,
  name TEXT NOT NULL                -- CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH
);

-- What the process could see of NVIDIA's driver, when its recording began and
-- when anything of it changed; the last row is the latest state.
CREATE TABLE driver (
  time_ns INTEGER NOT NULL,
  loaded INTEGER NOT NULL,          -- 1: libcuda.so.1 is mapped into the process
  library TEXT,                     -- its file: the mapped one, else the one that
                                    -- the linker would find; NULL: there is none
  library_version TEXT,             -- NVIDIA's number in the file's name: 580.95.05
  cuda TEXT,                        -- the highest CUDA that it says it serves: 13.0
  init_result INTEGER,              -- of the last cuInit that was seen; NULL: none was
  init_name TEXT,                   -- CUDA_ERROR_NO_DEVICE
  kernel_version TEXT,              -- of the kernel's module, as
                                    -- /proc/driver/nvidia/version has it; NULL: no such file
  device_files INTEGER NOT NULL,    -- GPUs that /dev has: nvidia0, nvidia1, …
  device_error TEXT                 -- why none of them may be opened
);

-- The control groups that limit the process's host memory: its own, then those
-- above it that have a limit; when recording began, when a count changed, and at
-- the end.
CREATE TABLE cgroup_memory (
  time_ns INTEGER NOT NULL,
  path TEXT NOT NULL,               -- the group's folder
  limit_bytes INTEGER,              -- NULL: it has no limit of its own
  used_bytes INTEGER,
  peak_bytes INTEGER,
  refusals INTEGER,                 -- how often the limit was met
  ooms INTEGER,                     -- and nothing could be reclaimed; NULL: cgroup v1
  oom_kills INTEGER                 -- processes that the kernel killed in it
);

-- The parts of cuDNN that belong beside a loaded libcudnn.so, whether they are
-- there or not: it loads them when it needs them.
CREATE TABLE library_part (
  time_ns INTEGER NOT NULL,
  name TEXT NOT NULL,               -- libcudnn_cnn.so.9
  path TEXT NOT NULL,               -- where it belongs
  whole TEXT NOT NULL,              -- library.path of the libcudnn.so
  present INTEGER NOT NULL,         -- 1: the file is there
  package_version TEXT,             -- of the Python package that lists the file
  of_package INTEGER                -- 1: it has the size that the package lists,
                                    -- 0: another; NULL: no package lists it
);
