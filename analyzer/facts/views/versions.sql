-- SPDX-License-Identifier: Apache-2.0
-- Versions seen in logs and traces, and tables of compatible versions, whose
-- rows are in version_rows.sql.

-- Versions from logs and traces, under one name and in one form.
CREATE TABLE store_version_seen (
  what TEXT NOT NULL,       -- `driver`, `driver_cuda` (the highest CUDA it serves), `cuda` (of
                            -- the program), `cudnn`, `torch`, `tensorflow`, `capability` (of a
                            -- GPU)
  version TEXT NOT NULL,    -- separated by dots
  number INTEGER NOT NULL,  -- version_number(version)
  minor INTEGER NOT NULL,   -- the same of the first two parts only, to be compared with tables
  evidence TEXT,            -- the line that says so, for the column of that name
  process INTEGER,          -- process.process
  source INTEGER,           -- log_source.source
  rank INTEGER,             -- from the line or the process
  device INTEGER,           -- of a capability
  host TEXT,                -- machine
  time INTEGER              -- nanoseconds since 1970
);

-- CUDA toolkits and the Linux drivers that they need.
CREATE TABLE store_cuda_release (
  cuda TEXT NOT NULL,         -- as in 12.4
  number INTEGER NOT NULL AS (version_number(cuda)),  -- version_number(cuda)
  driver TEXT,                -- of the toolkit's first release
  least_driver TEXT NOT NULL  -- that runs its programs at all, without PTX and newer features
);

-- Branches of the Linux driver.
CREATE TABLE store_driver_branch (
  branch INTEGER NOT NULL,        -- as in 550
  cuda TEXT NOT NULL,             -- the highest it serves
  number INTEGER NOT NULL AS (version_number(cuda)),  -- version_number(cuda)
  least_capability TEXT NOT NULL  -- the oldest GPUs it runs
);

-- Compute capabilities and the toolkits that generate code for them.
CREATE TABLE store_gpu_architecture (
  capability TEXT NOT NULL,    -- as in 8.6
  number INTEGER NOT NULL AS (version_number(capability)),  -- version_number(capability)
  architecture TEXT NOT NULL,  -- name
  first_cuda TEXT NOT NULL,    -- toolkit that makes code for it
  last_cuda TEXT,              -- toolkit that does
  last_branch INTEGER          -- of the driver that runs it
);

-- Builds of frameworks, with their CUDA and cuDNN.
CREATE TABLE store_framework_build (
  framework TEXT NOT NULL,  -- torch or tensorflow
  version TEXT NOT NULL,    -- first two parts
  number INTEGER NOT NULL AS (version_number(version)),  -- version_number(version)
  cuda TEXT NOT NULL,       -- of the build
  cudnn TEXT,               -- of the build, first two parts
  capabilities TEXT,        -- with native code, separated by blanks
  ptx TEXT,                 -- the capability with PTX
  usual INTEGER NOT NULL    -- 1: what `pip install` takes by default
);

-- cuDNN packages, one row for each major release of CUDA.
CREATE TABLE store_cudnn_release (
  cudnn TEXT NOT NULL,             -- first two parts
  number INTEGER NOT NULL AS (version_number(cudnn)),  -- version_number(cudnn)
  first_cuda TEXT NOT NULL,        -- it was made for
  last_cuda TEXT NOT NULL,         -- it was made for
  least_capability TEXT NOT NULL,  -- of a GPU that it has code for
  most_capability TEXT             -- of a GPU that it has code for
);
