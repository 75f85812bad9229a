// SPDX-License-Identifier: Apache-2.0
// Where a process stands, from all its threads: the thread that does its work,
// the frame of it that says most, and the line of the program that led there.
// A server's or watchdog's thread does not count while another one works. Pure.
#pragma once

#include <optional>

#include "analyzer/hangs/stacks/stack_model.h"

namespace inquest::hangs {

struct ProcessState {
  Place place = Place::kNone;
  std::optional<uint32_t> site;    // that says so
  std::optional<uint32_t> caller;  // the program's line that led there
  size_t thread = 0;
  TextAt at;              // of the frame that says so
  bool has_nccl = false;  // some frame of NCCL or c10d was seen
  bool has_torch = false;
};

ProcessState StateOf(const StackProcess& process, const Sites& sites);

}  // namespace inquest::hangs
