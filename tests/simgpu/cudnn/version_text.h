// SPDX-License-Identifier: Apache-2.0
// Reads a version such as "90100" or "9.1.0" from the environment; `standard`
// when it is absent or cannot be read. Shared with the sub-libraries, which
// must not depend on anything else. Header-only for that reason.
#pragma once

#include <cstddef>
#include <cstdlib>

namespace simgpu::cudnn {

inline size_t VersionFrom(const char* variable, size_t standard) {
  const char* text = std::getenv(variable);
  if (text == nullptr || *text < '0' || *text > '9') return standard;
  char* end = nullptr;
  const unsigned long first = std::strtoul(text, &end, 10);
  if (*end != '.') return *end == '\0' ? first : standard;
  const unsigned long minor = std::strtoul(end + 1, &end, 10);
  const unsigned long patch = *end == '.' ? std::strtoul(end + 1, &end, 10) : 0;
  return *end == '\0' ? first * 10000 + minor * 100 + patch : standard;
}

}  // namespace simgpu::cudnn
