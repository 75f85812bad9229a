// SPDX-License-Identifier: Apache-2.0
// SIMGPU_LOG: an independent record of every allocation and free, one text line
// each, "nanoseconds operation address size result", written with one write()
// so that it survives SIGKILL. Tests compare a recording with it.
//
// Called by the driver's memory functions after each operation. Costs one load
// if there is no log. Time is CLOCK_MONOTONIC, address hexadecimal, size bytes,
// result the CUresult's number. Thread-safe.
#pragma once

#include <cstdint>

namespace simgpu {

void LogEvent(const char* operation, uint64_t address, uint64_t size,
              int result);

}  // namespace simgpu
