// SPDX-License-Identifier: Apache-2.0
#include "collector/python/python_in_place.h"

#include <atomic>
#include <cerrno>

#include "collector/core/emit.h"
#include "collector/core/thread_state.h"
#include "collector/python/python_layout.h"
#include "collector/python/python_reader.h"

namespace inquest::collector {
namespace {

constexpr int kFirstWithOwnCurrent = 12;  // 3.12: see ThreadToRead
constexpr int kMaxInstruction = 1 << 26;
constexpr int kMaxLine = 1 << 27;
constexpr int kProvenFrames = 16;  // at most: each takes some thousand calls

// Calls `visit` with each frame of Python code, until it returns false. Returns
// false if a frame is invalid.
template <typename Memory, typename Visit>
bool VisitFrames(const PythonReader<Memory>& reader, uintptr_t thread,
                 const Visit& visit) {
  uintptr_t at = 0;
  if (!reader.Innermost(thread, &at)) return false;
  for (int steps = 4 * trace::kMaxPythonFrames; at != 0 && steps > 0; --steps) {
    PythonFrame frame;
    if (!reader.GetFrame(at, &frame)) return false;
    if (!frame.foreign && !visit(frame)) return true;
    at = frame.back;
  }
  return true;
}

bool Plausible(const PythonReader<GuardedMemory>& reader, const PythonApi& api,
               const PythonFrame& frame) {
  PythonCode code;
  PythonPlace place;
  std::string file;
  std::string name;
  return frame.instruction >= -2 && frame.instruction < kMaxInstruction &&
         reader.GetCode(frame.code, &code) && code.first_line >= 0 &&
         code.first_line < kMaxLine && reader.Decode(code.file, &file) &&
         reader.Decode(code.name, &name) && !name.empty() &&
         reader.IsA(code.lines, api.bytes_type) &&
         reader.Identify(frame, &place);
}

enum Proof { kUnknown, kProven, kRefuted };
std::atomic<Proof> g_proof{kUnknown};

// Checks the layout with the first thread that has frames.
Proof Prove(const PythonApi& api, uintptr_t thread) {
  const int host_errno = errno;
  const PythonReader<GuardedMemory> reader(api);
  int frames = 0;
  bool plausible = true;
  const bool whole = VisitFrames(reader, thread, [&](const PythonFrame& frame) {
    plausible = Plausible(reader, api, frame);
    return plausible && ++frames < kProvenFrames;
  });
  errno = host_errno;
  const Proof proof = !whole || !plausible ? kRefuted
                      : frames > 0         ? kProven
                                           : kUnknown;
  if (proof == kUnknown) return kUnknown;
  g_proof.store(proof, std::memory_order_relaxed);
  if (proof == kRefuted) {
    EmitCoverage("python", "on",
                 "only where the thread holds the GIL: its "
                 "frames cannot be read in place");
  }
  return proof;
}

bool IsFirstThread() {
  const ThreadState* state = GetThreadState();
  return state != nullptr && state->is_first;
}

// The calling thread's state, or 0 if nothing may be read.
uintptr_t ThreadToRead(const PythonApi& api) {
  if (api.is_initialized() == 0 || api.is_finalizing() != 0) return 0;
  const PyThread* mine = api.this_thread();
  if (mine == nullptr) return 0;
  const PyThread* current = api.current_thread();
  if (current != mine && !IsFirstThread()) return 0;
  // Since 3.12 `current` is the calling thread's: a state other than its first
  // belongs to another interpreter. Before 3.12 it may be any thread's.
  if (current != nullptr && current != mine &&
      api.layout->minor >= kFirstWithOwnCurrent) {
    return 0;
  }
  const auto thread = reinterpret_cast<uintptr_t>(mine);
  uintptr_t interpreter = 0;
  PlainMemory::Read(thread + kPyThreadInterpreter, &interpreter,
                    sizeof interpreter);
  const bool main =
      interpreter == reinterpret_cast<uintptr_t>(api.main_interpreter());
  return main ? thread : 0;
}

}  // namespace

int PlacesInPlace(const PythonApi& api, PythonPlace* places, int most) {
  Proof proof = g_proof.load(std::memory_order_relaxed);
  if (api.layout == nullptr || proof == kRefuted) return kNotInPlace;
  const uintptr_t thread = ThreadToRead(api);
  if (thread == 0) return 0;
  if (proof == kUnknown) proof = Prove(api, thread);
  if (proof != kProven) return proof == kRefuted ? kNotInPlace : 0;
  int count = 0;
  const PythonReader<PlainMemory> reader(api);
  VisitFrames(reader, thread, [&](const PythonFrame& frame) {
    if (!reader.Identify(frame, &places[count])) return false;
    return ++count < most;
  });
  return count;
}

PythonPlaceText DescribeInPlace(const PythonApi& api,
                                const PythonPlace& place) {
  const PythonReader<PlainMemory> reader(api);
  PythonPlaceText text;
  PythonCode code;
  reader.GetCode(place.code, &code);
  reader.Decode(code.file, &text.file);
  reader.Decode(code.name, &text.function);
  text.line =
      api.code_line(reinterpret_cast<PyObject*>(place.code), place.instruction);
  return text;
}

}  // namespace inquest::collector
