// SPDX-License-Identifier: Apache-2.0
#include "collector/python/thread_frames.h"

#include <cstring>
#include <string_view>

#include "collector/core/emit.h"
#include "collector/core/guard.h"
#include "collector/core/seen_table.h"
#include "collector/python/python_api.h"
#include "collector/python/python_in_place.h"

namespace inquest::collector {
namespace {

// By code object and position in it; a frame's id is its number in the table.
constinit SeenTable<1u << 14> g_seen_places;

// The thread holds the GIL if the state that holds it is this thread's own.
// PyGILState_Check is not enough: once there has been a second interpreter it
// is always true. Before 3.12 a thread that has switched to another interpreter
// fails this comparison, since 3.12 the last one.
bool MayUseApi(const PythonApi& api) {
  if (api.is_initialized() == 0 || api.is_finalizing() != 0) return false;
  const PyThread* mine = api.this_thread();
  return mine != nullptr && mine == api.current_thread() &&
         api.interpreter() == api.main_interpreter();
}

// Restores on destruction what reading through the API might change.
class Untouched {
 public:
  explicit Untouched(const PythonApi& api) : api_(api) {
    api_.fetch_error(&type_, &value_, &traceback_);
    collects_ = api_.gc_disable != nullptr && api_.gc_disable() != 0;
  }
  ~Untouched() {
    if (collects_) api_.gc_enable();
    api_.restore_error(type_, value_, traceback_);
  }
  Untouched(const Untouched&) = delete;
  Untouched& operator=(const Untouched&) = delete;

 private:
  const PythonApi& api_;
  PyObject* type_ = nullptr;
  PyObject* value_ = nullptr;
  PyObject* traceback_ = nullptr;
  bool collects_ = false;
};

// A reference that is released on destruction.
class Owned {
 public:
  Owned(const PythonApi& api, PyObject* object) : api_(api), object_(object) {}
  ~Owned() { api_.drop(object_); }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  PyObject* get() const { return object_; }

 private:
  const PythonApi& api_;
  PyObject* object_;
};

// A text as UTF-8, while this object and the text exist. File names may contain
// bytes that are not text; such a byte becomes \udcff.
class Utf8 {
 public:
  Utf8(const PythonApi& api, PyObject* text) : api_(api) {
    if (text == nullptr) return;
    long size = 0;
    if (const char* bytes = api.utf8(text, &size)) {
      view_ = {bytes, static_cast<size_t>(size)};
      return;
    }
    api.clear_error();
    encoded_ = api.encode(text, "utf-8", "backslashreplace");
    if (encoded_ != nullptr) view_ = api.bytes(encoded_);
  }
  ~Utf8() { api_.drop(encoded_); }
  Utf8(const Utf8&) = delete;
  Utf8& operator=(const Utf8&) = delete;
  std::string_view view() const { return view_; }

 private:
  const PythonApi& api_;
  PyObject* encoded_ = nullptr;
  std::string_view view_;
};

PyObject* FunctionName(const PythonApi& api, PyObject* code) {
  PyObject* name = api.attribute(code, "co_qualname");  // from 3.11 on
  if (name != nullptr) return name;
  api.clear_error();
  return api.attribute(code, "co_name");
}

void EmitFrame(const PythonApi& api, PyObject* frame, PyObject* code,
               uint32_t id) {
  const Owned file(api, api.attribute(code, "co_filename"));
  const Owned function(api, FunctionName(api, code));
  const Utf8 file_text(api, file.get());
  const Utf8 function_text(api, function.get());
  trace::PythonFrameRecord record;
  record.id = id;
  record.line = api.frame_line(frame);
  record.file = file_text.view();
  record.function = function_text.view();
  Emit(record, Journal::Full::kWait);
}

uint64_t HashPlace(const PyObject* code, int place) {
  uint64_t hash = reinterpret_cast<uintptr_t>(code) * 0xff51afd7ed558ccdu;
  hash = (hash ^ (hash >> 32) ^ static_cast<uint32_t>(place)) *
         0x9e3779b97f4a7c15u;
  return hash == 0 ? 1 : hash;
}

auto EnterPlace(uint64_t identity) {
  const auto seen = g_seen_places.Enter(identity);
  if (seen.number == 0) {
    g_seen_places.CountLost(
        "python_frame", "more different lines of Python than the table holds");
  }
  return seen;
}

uint32_t InternFrame(const PythonApi& api, PyObject* frame, PyObject* code) {
  // Finding the line means walking the code's table, which 3.11 makes
  // unnecessary.
  const int place = api.frame_instruction != nullptr
                        ? api.frame_instruction(frame)
                        : api.frame_line(frame);
  const auto seen = EnterPlace(HashPlace(code, place));
  if (seen.is_new) {
    api.keep(code);
    EmitFrame(api, frame, code, seen.number);
  }
  return seen.number;
}

void WalkFrames(const PythonApi& api, trace::PythonStackRecord* record) {
  PyObject* frame = api.frame();
  if (frame != nullptr) api.keep(frame);
  while (frame != nullptr && record->count < trace::kMaxPythonFrames) {
    const Owned here(api, frame);
    const Owned code(api, api.frame_code(frame));
    if (code.get() == nullptr) return;
    record->frames[record->count++] = InternFrame(api, frame, code.get());
    frame = api.frame_back(frame);
  }
  api.drop(frame);
}

uint32_t InternPlace(const PythonApi& api, const PythonPlace& place) {
  const auto seen = EnterPlace(place.identity);
  if (!seen.is_new) return seen.number;
  const PythonPlaceText text = DescribeInPlace(api, place);
  trace::PythonFrameRecord record;
  record.id = seen.number;
  record.line = text.line;
  record.file = text.file;
  record.function = text.function;
  Emit(record, Journal::Full::kWait);
  return seen.number;
}

bool CaptureInPlace(const PythonApi& api, trace::PythonStackRecord* record) {
  PythonPlace places[trace::kMaxPythonFrames];
  const int count = PlacesInPlace(api, places, trace::kMaxPythonFrames);
  if (count == kNotInPlace) return false;
  for (int i = 0; i < count; ++i) {
    record->frames[record->count++] = InternPlace(api, places[i]);
  }
  return true;
}

}  // namespace

void CapturePythonFrames(trace::PythonStackRecord* record) {
  const PythonApi* api = Python();
  if (api == nullptr) return;
  WithoutThrowing([&] {
    if (CaptureInPlace(*api, record) || !MayUseApi(*api)) return;
    const Untouched host(*api);
    WalkFrames(*api, record);
  });
}

void ForgetPythonFrames() {
  g_seen_places.Forget();
}

}  // namespace inquest::collector
