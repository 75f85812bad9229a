#include "analyzer/facts/python_frames.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/facts/tracebacks.h"

namespace inquest::facts {

std::string PlaceOf(const PythonFrame& frame) {
  // Of an operation that has no place in a file.
  if (frame.file.empty()) return frame.function;
  return fmt::format("{}:{} in {}", frame.file, frame.line, frame.function);
}

std::vector<PythonFrame> TellingPythonFrames(Store* store, int process,
                                             int64_t stack) {
  const std::string& prefix = store->TracePrefix(process);
  auto row = store->db().Prepare(
      "SELECT f.file, f.line, f.function FROM " + prefix +
      "python_stack AS s JOIN " + prefix +
      "python_frame AS f ON f.id = s.frame WHERE s.stack = ? ORDER BY s.depth");
  if (stack == 0 || !row.ok()) return {};  // an older trace lacks the tables
  row->Bind(0, stack);
  std::vector<PythonFrame> frames;
  while (row->Step()) {
    frames.push_back(
        {std::string(row->Text(0)), row->Int(1), std::string(row->Text(2))});
  }
  const auto foreign = [](const PythonFrame& one) {
    return !IsOwnCode(one.file);
  };
  if (!std::all_of(frames.begin(), frames.end(), foreign)) {
    std::erase_if(frames, foreign);
  }
  return frames;
}

}  // namespace inquest::facts
