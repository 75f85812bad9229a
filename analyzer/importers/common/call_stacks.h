// SPDX-License-Identifier: Apache-2.0
// Python call stacks on their way into a trace (python_frame, stack,
// python_stack): each frame and each stack is written once, under a number.
// Operations and categories can be frames, too, without a file. For all
// importers but torch_snapshot, whose files number their stacks themselves. One
// thread. Memory is that of the distinct frames and stacks; beyond the limits
// stacks are counted and left out.
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
  static constexpr size_t kMaxFrameBytes = 64 << 20;  // of their names
  static constexpr size_t kMaxTotalDepth = 16 << 20;  // of all stacks together

  explicit CallStacks(TraceFile* file) : file_(file) {}

  // "/home/me/train.py(57): step", or just a name. 0: too many.
  uint32_t Frame(std::string_view text);
  uint32_t Frame(std::string_view file, int64_t line,
                 std::string_view function);
  // Innermost first; frames of 0 are left out. 0: none, or too many.
  uint32_t Stack(const std::vector<uint32_t>& frames);
  // Records how many were left out.
  void Finish();

 private:
  TraceFile* file_;
  std::unordered_map<std::string, uint32_t> frames_;
  std::map<std::vector<uint32_t>, uint32_t> stacks_;
  size_t frame_bytes_ = 0;
  size_t depth_ = 0;
  int64_t lost_ = 0;
};

}  // namespace inquest::importers
