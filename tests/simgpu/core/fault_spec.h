// SPDX-License-Identifier: Apache-2.0
// Reads one rule of SIMGPU_FAULT, "call=cuMemAlloc_v2,after=100,result=2" or
// "xid=79,after_ms=50". Called by core/config.cc. Pure function.
#pragma once

#include <string>

#include "core/config.h"

namespace simgpu {

// Fills `spec`; returns "" or why the rule cannot be used.
std::string ParseFault(const std::string& rule, FaultSpec* spec);

}  // namespace simgpu
