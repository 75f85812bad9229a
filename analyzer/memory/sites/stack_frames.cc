// SPDX-License-Identifier: Apache-2.0
#include "analyzer/memory/sites/stack_frames.h"

#include <cstring>
#include <string_view>
#include <utility>

#include "analyzer/facts/derive/recorded_frames.h"

namespace inquest::memory {
namespace {

// What calls functions of Python, or is called by them to record stacks.
bool IsOfInterpreter(const Frame& frame) {
  for (const std::string_view name : {"_Py", "Py"}) {
    if (frame.function.starts_with(name)) return true;
  }
  return frame.module.starts_with("libpython") ||
         frame.module.starts_with("python");
}

bool IsOfRecorder(const Frame& frame) {
  for (const std::string_view name :
       {"torch::unwind::", "torch::CapturedTraceback::",
        "torch::cuda::gather"}) {
    if (frame.function.starts_with(name)) return true;
  }
  return frame.module.starts_with("libinquest");
}

}  // namespace

std::vector<Frame> StackFrames::Of(int64_t stack) {
  std::vector<Frame> frames = PythonFrames(stack);
  return frames.empty() ? NativeFrames(stack) : frames;
}

std::vector<Frame> StackFrames::All(int64_t stack) {
  std::vector<Frame> frames;
  for (const facts::PythonFrame& python : python_.All(stack)) {
    frames.push_back({python.function, python.file,
                      static_cast<int>(python.line), "python"});
  }
  return frames.empty() ? NativeFrames(stack) : frames;
}

std::vector<Frame> StackFrames::NativeFrames(int64_t stack) {
  std::vector<Frame> frames;
  if (stack == 0) return frames;
  if (!addresses_.is_prepared()) {
    auto row = store_->db().Prepare("SELECT frames FROM " + prefix_ +
                                    "stack WHERE id = ?");
    if (!row.ok()) return frames;
    addresses_ = row.Take();
  }
  addresses_.Reset();
  addresses_.BindAll(stack);
  Blob addresses;
  if (!addresses_.Next(&addresses)) return frames;
  const std::string_view blob = addresses.bytes;
  for (size_t at = 0; at + sizeof(uint64_t) <= blob.size();
       at += sizeof(uint64_t)) {
    uint64_t address = 0;
    memcpy(&address, blob.data() + at, sizeof(address));
    frames.push_back(symbolizer_.Resolve(address));
  }
  addresses_.Reset();
  return frames;
}

// As an importer read them.
std::vector<Frame> StackFrames::NamedNativeFrames(int64_t stack) {
  std::vector<Frame> frames;
  if (!store_->HasTable(process_, "native_stack")) return frames;
  auto row = store_->db().Prepare(
      "SELECT f.function FROM " + prefix_ + "native_stack AS s JOIN " +
      prefix_ +
      "native_frame AS f ON f.id = s.frame WHERE s.stack = ? ORDER "
      "BY s.depth");
  if (!row.ok()) return frames;
  row->BindAll(stack);
  for (std::string name; row->Next(&name);) {
    frames.emplace_back().function = WithoutArguments(name);
  }
  return frames;
}

std::vector<Frame> StackFrames::BelowPython(int64_t stack) {
  std::vector<Frame> all = NamedNativeFrames(stack);
  if (all.empty()) {
    // Without Python's frames these are the site itself.
    if (python_.All(stack).empty()) return {};
    all = NativeFrames(stack);
  }
  std::vector<Frame> below;
  for (Frame& frame : all) {
    if (IsOfInterpreter(frame)) break;
    if (!IsOfRecorder(frame)) below.push_back(std::move(frame));
  }
  return below;
}

std::vector<Frame> StackFrames::PythonFrames(int64_t stack) {
  std::vector<Frame> frames;
  for (const facts::PythonFrame& python : python_.Telling(stack)) {
    Frame frame;
    frame.function = facts::PlaceOf(python);
    frame.file = python.file;
    frame.line = static_cast<int>(python.line);
    frame.module = "python";
    frames.push_back(std::move(frame));
  }
  return frames;
}

}  // namespace inquest::memory
