// Call stacks as other tools tell them, in words: each frame and each stack
// once in the trace, by number. Frames without a file are names of operations.
// One thread; memory is that of the different frames and stacks, up to a limit
// beyond which stacks are counted and left out.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzer/importers/common/trace_file.h"

namespace inquest::importers {

class CallStacks {
 public:
  static constexpr size_t kMostFrameBytes = 64 << 20;  // of their names
  static constexpr size_t kMostDepth = 16 << 20;       // of all stacks together
  static constexpr size_t kDeepest = 256;

  explicit CallStacks(TraceFile* file) : file_(file) {}

  // "/home/me/train.py(57): step", or a name alone. 0: too many.
  uint32_t Frame(std::string_view text);
  uint32_t Frame(std::string_view file, int64_t line,
                 std::string_view function);
  // Innermost first; frames of 0 are left out. 0: none, or too many.
  uint32_t Stack(const std::vector<uint32_t>& frames);
  int64_t lost() const { return lost_; }

 private:
  TraceFile* file_;
  std::unordered_map<std::string, uint32_t> frames_;
  std::map<std::vector<uint32_t>, uint32_t> stacks_;
  size_t frame_bytes_ = 0;
  size_t depth_ = 0;
  int64_t lost_ = 0;
};

}  // namespace inquest::importers
