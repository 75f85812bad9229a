// SPDX-License-Identifier: Apache-2.0
// Small readers of the texts in SIMGPU_* variables: numbers, sizes and lists.
// Called by core/config.cc and core/fault_spec.cc only. They never throw and
// never print; an empty list item is dropped. Stateless, any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace simgpu {

// A whole non-negative decimal number that fits 64 bits, nothing else.
bool ParseNumber(const std::string& text, uint64_t* number);

// The non-empty parts of `text` between separators, blanks trimmed.
std::vector<std::string> Split(const std::string& text, char separator);

}  // namespace simgpu
