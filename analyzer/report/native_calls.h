// SPDX-License-Identifier: Apache-2.0
// What Python called at an allocation site: the native frames below its
// innermost function, and how much of the site's memory was allocated by each
// way down. For flame graphs and folded stacks. Names of functions are looked
// up when a site is asked for, because their files may be large.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/facts/store/store.h"
#include "analyzer/memory/sites/stack_frames.h"
#include "base/status.h"

namespace inquest::report {

struct NativeCalls {
  std::vector<std::string> functions;  // the outermost first
  int64_t allocations = 0;
  int64_t live_bytes = 0;  // at the end
  int64_t peak_bytes = 0;  // at the peak of the device or of its pool
};

class NativeCallsReader {
 public:
  static Expected<NativeCallsReader> Read(facts::Store* store);

  // Equal ways are one. Empty if the site has frames of one kind alone.
  std::vector<NativeCalls> Of(int64_t site);

 private:
  struct Stack {
    int64_t process = 0, stack = 0, allocations = 0;
    int64_t live_bytes = 0, peak_bytes = 0;
  };

  explicit NativeCallsReader(facts::Store* store) : store_(store) {}
  memory::StackFrames& FramesOf(int64_t process);

  facts::Store* store_;
  std::map<int64_t, std::vector<Stack>> by_site_;
  std::map<int64_t, std::unique_ptr<memory::StackFrames>> frames_;
};

}  // namespace inquest::report
