// SPDX-License-Identifier: Apache-2.0
// Finds the collector and the LD_PRELOAD that loads it. Only reads the file
// system.
#pragma once

#include <string>
#include <string_view>

namespace inquest::record {

struct CollectorChoice {
  std::string path;     // absolute; empty: none
  std::string why_not;  // why there is none, as a message
};

// `wanted` (from the command line) wins over INQUEST_COLLECTOR, which wins over
// the places beside the running executable: those of an installation and those
// of a build tree. A named but missing collector is not replaced by another.
CollectorChoice FindCollector(const std::string& wanted);

// LD_PRELOAD with the collector before the libraries in `existing`, and before
// both a sanitizer's runtime, if this build has one.
std::string PreloadValue(std::string_view collector, std::string_view existing);

}  // namespace inquest::record
