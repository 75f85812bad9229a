// SPDX-License-Identifier: Apache-2.0
// Where the collector is, and how a program is made to load it. Looks at the
// file system only; changes nothing.
#pragma once

#include <string>
#include <string_view>

namespace inquest::record {

struct CollectorChoice {
  std::string path;     // absolute; empty: none
  std::string why_not;  // why there is none, for people
};

// `wanted` (from the command line) wins over INQUEST_COLLECTOR, which wins over
// the places beside the running executable: those of an installation and those
// of a build tree. What was named but is not there is not replaced by another.
CollectorChoice FindCollector(const std::string& wanted);

// LD_PRELOAD with the collector in front of what `existing` asks for, and a
// sanitizer's runtime, where this build has one, in front of both.
std::string PreloadValue(std::string_view collector, std::string_view existing);

}  // namespace inquest::record
