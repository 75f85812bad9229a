// SPDX-License-Identifier: Apache-2.0
#include "analyzer/facts/derive/recorded_frames.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/facts/derive/tracebacks.h"

namespace inquest::facts {

std::string PlaceOf(const PythonFrame& frame) {
  // An operation is not in a file.
  if (frame.file.empty()) return frame.function;
  return fmt::format("{}:{} in {}", frame.file, frame.line, frame.function);
}

std::vector<PythonFrame> AllPythonFrames(Store* store, int process,
                                         int64_t stack) {
  // Reads the facts, which are also readable while rules run.
  auto row = store->db().Prepare(
      "SELECT file, line, function FROM python_frame "
      "WHERE process = ? AND stack = ? ORDER BY depth");
  if (stack == 0 || !row.ok()) return {};
  row->BindAll(process, stack);
  std::vector<PythonFrame> frames;
  for (PythonFrame one; row->Next(&one.file, &one.line, &one.function);) {
    frames.push_back(one);
  }
  return frames;
}

std::vector<PythonFrame> TellingPythonFrames(Store* store, int process,
                                             int64_t stack) {
  std::vector<PythonFrame> frames = AllPythonFrames(store, process, stack);
  const auto foreign = [](const PythonFrame& one) {
    return !IsOwnCode(one.file);
  };
  if (!std::all_of(frames.begin(), frames.end(), foreign)) {
    std::erase_if(frames, foreign);
  }
  return frames;
}

}  // namespace inquest::facts
