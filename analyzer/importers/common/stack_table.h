// Python's call stacks on their way into a trace (python_frame, python_stack,
// stack): each frame and each stack once. For importers of files that name
// frames by file, line and function; one thread. Beyond its limits a frame or a
// stack is counted and left out.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzer/importers/common/trace_file.h"

namespace inquest::importers {

class StackTable {
 public:
  explicit StackTable(size_t most_frames = 1u << 20,
                      size_t most_places = 16u << 20)
      : most_frames_(most_frames), most_places_(most_places) {}

  // python_frame.id; 0 beyond the limit.
  uint32_t Frame(std::string_view file, int64_t line,
                 std::string_view function);
  // stack.id of these frames, innermost first; 0 of none.
  uint32_t Stack(std::span<const uint32_t> frames);
  size_t stacks() const { return stacks_.size(); }

  void Write(TraceFile* file) const;

 private:
  size_t most_frames_;
  size_t most_places_;  // of frames in stacks
  size_t places_ = 0;
  uint64_t lost_ = 0;
  std::unordered_map<std::string, uint32_t> frames_;  // file, line, function
  struct Place {
    std::string file;
    int64_t line;
    std::string function;
  };
  std::vector<Place> frame_places_;
  std::unordered_map<std::string, uint32_t> stacks_;  // bytes of the numbers
  std::vector<const std::string*> stack_keys_;
};

}  // namespace inquest::importers
