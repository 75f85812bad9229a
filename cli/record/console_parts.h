// SPDX-License-Identifier: Apache-2.0
// How the console of a run is kept within a budget, on disk at every moment:
//
//   console.log                      the beginning
//   console.log.<begin>.<offset>     the latest output, in two files that take
//                                    turns: bytes from <offset> on, of an
//                                    output whose beginning has <begin> bytes
//
// When the command has ended, console.log becomes the beginning, a line that
// says how much is left out, and the latest output. Then it is longer than
// <begin>, and other files that are still there do not count. If the recorder
// is killed before, readers put the parts together (ReadUnfinishedConsole).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace inquest::record {

struct ConsolePart {
  std::string path;
  uint64_t begin = 0;
  uint64_t offset = 0;
};

std::string PartPath(const std::string& directory, uint64_t begin,
                     uint64_t offset);

// Those of a run directory in the order of their offsets.
std::vector<ConsolePart> FindParts(const std::string& directory);

// Stands where output is left out, with its end of line.
std::string LeftOutLine(uint64_t bytes);

// The whole console of a recorder that was killed; nothing if console.log has
// it all. Reads regular files only, and no more than 256 MiB.
std::optional<std::string> ReadUnfinishedConsole(const std::string& directory);

}  // namespace inquest::record
