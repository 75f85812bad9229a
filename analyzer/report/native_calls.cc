// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/native_calls.h"

#include <algorithm>

#include "base/capped.h"

namespace inquest::report {

Expected<NativeCallsReader> NativeCallsReader::Read(facts::Store* store) {
  NativeCallsReader reader(store);
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare("SELECT site, process, stack, allocations, "
                          "live_bytes, peak_bytes FROM store_site_stack"));
  int64_t site = 0;
  for (Stack one; row.Next(&site, &one.process, &one.stack, &one.allocations,
                           &one.live_bytes, &one.peak_bytes);) {
    reader.by_site_[site].push_back(one);
  }
  RETURN_IF_ERROR(row.status());
  return reader;
}

memory::StackFrames& NativeCallsReader::FramesOf(int64_t process) {
  auto& frames = frames_[process];
  if (frames == nullptr) {
    frames = std::make_unique<memory::StackFrames>(store_,
                                                   static_cast<int>(process));
  }
  return *frames;
}

std::vector<NativeCalls> NativeCallsReader::Of(int64_t site) {
  std::map<std::vector<std::string>, NativeCalls> by_way;
  for (const Stack& one : by_site_[site]) {
    std::vector<std::string> functions;
    for (const memory::Frame& frame :
         FramesOf(one.process).BelowPython(one.stack)) {
      functions.push_back(frame.function);
    }
    if (functions.empty()) continue;
    std::ranges::reverse(functions);
    NativeCalls& calls = by_way[functions];
    calls.functions = functions;
    calls.allocations = AddCapped(calls.allocations, one.allocations);
    calls.live_bytes = AddCapped(calls.live_bytes, one.live_bytes);
    calls.peak_bytes = AddCapped(calls.peak_bytes, one.peak_bytes);
  }
  std::vector<NativeCalls> all;
  for (auto& [unused, calls] : by_way) all.push_back(std::move(calls));
  return all;
}

}  // namespace inquest::report
