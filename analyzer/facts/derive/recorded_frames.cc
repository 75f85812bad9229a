// SPDX-License-Identifier: Apache-2.0
#include "analyzer/facts/derive/recorded_frames.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/facts/derive/own_code.h"

namespace inquest::facts {

std::string PlaceOf(const PythonFrame& frame) {
  // An operation is not in a file.
  if (frame.file.empty()) return frame.function;
  return fmt::format("{}:{} in {}", frame.file, frame.line, frame.function);
}

std::vector<PythonFrame> PythonFrames::All(int64_t stack) {
  if (stack == 0) return {};
  if (!row_.is_prepared()) {
    // Reads the facts, which are also readable while rules run.
    auto row = store_->db().Prepare(
        "SELECT file, line, function FROM python_frame "
        "WHERE process = ? AND stack = ? ORDER BY depth");
    if (!row.ok()) return {};
    row_ = row.Take();
  }
  row_.BindAll(process_, stack);
  std::vector<PythonFrame> frames;
  for (PythonFrame one; row_.Next(&one.file, &one.line, &one.function);) {
    frames.push_back(one);
  }
  row_.Reset();
  return frames;
}

std::vector<PythonFrame> PythonFrames::Telling(int64_t stack) {
  std::vector<PythonFrame> frames = All(stack);
  const auto foreign = [](const PythonFrame& one) {
    return !IsOwnCode(one.file);
  };
  if (!std::all_of(frames.begin(), frames.end(), foreign)) {
    std::erase_if(frames, foreign);
  }
  return frames;
}

}  // namespace inquest::facts
