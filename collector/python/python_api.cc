// SPDX-License-Identifier: Apache-2.0
#include "collector/python/python_api.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>

#include "collector/core/dlsym_hook.h"
#include "collector/core/emit.h"
#include "collector/core/source.h"
#include "collector/process/modules.h"
#include "collector/python/python_layout.h"
#include "collector/python/thread_frames.h"

namespace inquest::collector {
namespace {

constexpr int kOldestMinor = 8;

PythonApi g_python;  // filled before g_found points at it
std::atomic<const PythonApi*> g_found{nullptr};

struct Answer {
  bool there = false;
  std::string version;
  std::string refusal;  // empty: it is read
};

// Leaked on purpose: used until the very end of the process.
Answer& TheAnswer() {
  static auto* answer = new Answer;
  return *answer;
}

// 3.8 has documented attributes of a frame instead of functions.
PyObject* BackByAttribute(PyObject* frame) {
  PyObject* back = g_python.attribute(frame, "f_back");
  if (back != g_python.none) return back;
  g_python.drop(back);
  return nullptr;
}

PyObject* CodeByAttribute(PyObject* frame) {
  return g_python.attribute(frame, "f_code");
}

class Lookup {
 public:
  explicit Lookup(void* handle) : handle_(handle) {}

  template <typename Symbol>
  Symbol Find(const char* name, const char* older = nullptr) {
    void* found = RealDlsym(handle_, name);
    if (found == nullptr && older != nullptr) {
      found = RealDlsym(handle_, older);
    }
    return reinterpret_cast<Symbol>(found);
  }
  template <typename Symbol>
  void Need(Symbol* symbol, const char* name, const char* older = nullptr) {
    *symbol = Find<Symbol>(name, older);
    if (*symbol == nullptr && missing_ == nullptr) missing_ = name;
  }
  const char* missing() const { return missing_; }

 private:
  void* handle_;
  const char* missing_ = nullptr;
};

// In the global scope, or in a library that an embedding program loaded
// privately.
bool FindHandle(void** handle) {
  *handle = RTLD_DEFAULT;
  if (RealDlsym(*handle, "Py_GetVersion") != nullptr) return true;
  *handle = HandleOfLoaded("libpython");
  return *handle != nullptr;
}

void FindOptional(Lookup* lookup, PythonApi* api) {
  using Function = PyObject* (*)(PyObject*);
  const auto back = lookup->Find<Function>("PyFrame_GetBack");
  const auto code = lookup->Find<Function>("PyFrame_GetCode");
  api->frame_back = back != nullptr ? back : BackByAttribute;
  api->frame_code = code != nullptr ? code : CodeByAttribute;
  api->frame_instruction = lookup->Find<int (*)(PyObject*)>("PyFrame_GetLasti");
  api->gc_disable = lookup->Find<int (*)()>("PyGC_Disable");
  api->gc_enable = lookup->Find<int (*)()>("PyGC_Enable");
}

// "3.11.7 (main, …)".
int MinorOf(const char* version) {
  const char* point = std::strchr(version, '.');
  return point == nullptr ? 0 : std::atoi(point + 1);
}

void FindPythonLayout(void* handle, const char* version, PythonApi* api) {
  Lookup lookup(handle);
  api->code_line = lookup.Find<int (*)(PyObject*, int)>("PyCode_Addr2Line");
  api->code_type = lookup.Find<void*>("PyCode_Type");
  api->text_type = lookup.Find<void*>("PyUnicode_Type");
  api->bytes_type = lookup.Find<void*>("PyBytes_Type");
  const bool all = api->code_line != nullptr && api->code_type != nullptr &&
                   api->text_type != nullptr && api->bytes_type != nullptr;
  api->layout =
      all && sizeof(void*) == 8 ? PythonLayoutOf(MinorOf(version)) : nullptr;
}

// The name of the first symbol that is missing, or null.
const char* FillPythonApi(void* handle, PythonApi* api) {
  Lookup lookup(handle);
  lookup.Need(&api->version, "Py_GetVersion");
  lookup.Need(&api->is_initialized, "Py_IsInitialized");
  lookup.Need(&api->is_finalizing, "Py_IsFinalizing", "_Py_IsFinalizing");
  lookup.Need(&api->this_thread, "PyGILState_GetThisThreadState");
  lookup.Need(&api->current_thread, "PyThreadState_GetUnchecked",
              "_PyThreadState_UncheckedGet");
  lookup.Need(&api->main_interpreter, "PyInterpreterState_Main");
  lookup.Need(&api->interpreter, "PyInterpreterState_Get",
              "_PyInterpreterState_Get");
  lookup.Need(&api->frame, "PyEval_GetFrame");
  lookup.Need(&api->frame_line, "PyFrame_GetLineNumber");
  lookup.Need(&api->keep, "Py_IncRef");
  lookup.Need(&api->drop, "Py_DecRef");
  lookup.Need(&api->none, "_Py_NoneStruct");
  lookup.Need(&api->attribute, "PyObject_GetAttrString");
  lookup.Need(&api->utf8, "PyUnicode_AsUTF8AndSize");
  lookup.Need(&api->encode, "PyUnicode_AsEncodedString");
  lookup.Need(&api->bytes, "PyBytes_AsString");
  lookup.Need(&api->fetch_error, "PyErr_Fetch");
  lookup.Need(&api->restore_error, "PyErr_Restore");
  lookup.Need(&api->clear_error, "PyErr_Clear");
  FindOptional(&lookup, api);
  return lookup.missing();
}

// Why this Python is not read; empty if it is. Its version is a text like
// "3.13.0 experimental free-threading build (…)".
std::string Refuse(const char* version, const char* missing) {
  const std::string name =
      std::string("Python ").append(version, std::strcspn(version, " "));
  const int major = std::atoi(version);
  const int minor = MinorOf(version);
  if (major < 3 || (major == 3 && minor < kOldestMinor)) {
    return name + ": frames are read from 3.8 on";
  }
  if (std::strstr(version, "free-threading") != nullptr) {
    return name + ": frames are not read without a GIL";
  }
  if (missing != nullptr) return name + " lacks " + missing;
  return {};
}

// Called once: Py_GetVersion writes its text each time into a buffer that the
// host may be reading.
void FindPython(Answer* answer) {
  void* handle = nullptr;
  if (!FindHandle(&handle)) return;
  const char* missing = FillPythonApi(handle, &g_python);
  if (g_python.version == nullptr) return;  // some other library of that name
  answer->version = g_python.version();
  answer->refusal = Refuse(answer->version.c_str(), missing);
  answer->there = true;
  if (!answer->refusal.empty()) return;
  FindPythonLayout(handle, answer->version.c_str(), &g_python);
  g_found.store(&g_python, std::memory_order_release);
}

// Does nothing if it was found before. Called when recording begins and
// whenever a library was loaded, never concurrently.
void LookForPython() {
  const Session* session = Current();
  if (session == nullptr || !session->config.python_stacks) return;
  Answer& answer = TheAnswer();
  if (!answer.there) FindPython(&answer);
  if (!answer.there) return;
  const bool read = answer.refusal.empty();
  EmitCoverage("python", read ? "on" : "off",
               read ? answer.version : answer.refusal);
}

}  // namespace

const PythonApi* Python() {
  return g_found.load(std::memory_order_acquire);
}

constinit const Source kPythonSource = {
    .name = "python",
    .start = [](const Config&) { LookForPython(); },
    .note_loaded = [](const std::vector<Module>&) { LookForPython(); },
    .forget_in_child = ForgetPythonFrames,
};

}  // namespace inquest::collector
