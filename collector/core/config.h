// SPDX-License-Identifier: Apache-2.0
// The collector's settings, from the environment. Read once per recorded
// process, when its recording begins. Invalid values are replaced by the
// default; nothing here is fatal.
//
//   INQUEST_DIR             run directory; default inquest-<pid> in the working
//                           directory of the first process, inherited by its
//                           children. Made if its parent exists.
//   INQUEST_STACKS          on (default) | native | python | off: which call
//                           stacks events get | all: as on, and also calls
//                           that free memory
//   INQUEST_TENSORS         off | on (default): blocks of PyTorch's allocator,
//                           those of 1 MiB and more with the Python lines
//                           that requested them, else the native stack |
//                           bare: without stacks | stacks: each with both
//   INQUEST_JOURNAL_SIZE    bytes of the journal's first segment, default 4 MiB
//   INQUEST_MAX_DISK        bytes that a process's files may take together,
//                           default 1 GiB, at least 1 MiB
//   INQUEST_SAMPLE_SECONDS  NVML samples, default 10, 0 none
//   INQUEST_CUPTI           path of the libcupti to use, or off
//   INQUEST_SYSTEM_ROOT     for tests: the folder whose /proc, /sys, /dev and
//   /etc
//                           are looked at for the driver and for limits
//   INQUEST                 off: load, and do nothing
#pragma once

#include <cstdint>
#include <string>

namespace inquest::collector {

enum class Tensors { kOff, kBare, kOn, kStacks };

struct Config {
  std::string directory;
  bool native_stacks = true;
  bool python_stacks = true;
  bool free_stacks = false;  // also of calls that free memory
  Tensors tensors = Tensors::kOn;
  uint64_t journal_bytes = 4u << 20;
  uint64_t max_disk_bytes = 1u << 30;
  // Of it, what the journal's segments may take together.
  uint64_t journal_share() const { return max_disk_bytes / 4; }
  int64_t sample_seconds = 10;
  std::string cupti;  // empty: search
  std::string system_root;
};

Config LoadConfig();
// INQUEST=off; callable before anything else, allocates nothing.
bool SwitchedOffByUser();

}  // namespace inquest::collector
