// SPDX-License-Identifier: Apache-2.0
// CPython's C API, if the process has one: looked up among the loaded
// libraries, never loaded by us. Versions 3.8 and later with a GIL;
// free-threaded builds are not supported, since their objects may change while
// they are read.
//
// Function names and the versions that introduced them: the "C API Reference
// Manual" at docs.python.org (Initialization, Frame Objects, Code Objects,
// Exception Handling) and Include/ of the releases. Those with an underscore
// came before the public name with the same meaning (3.9, 3.13).
#pragma once

namespace inquest::collector {

struct PyObject;  // any object of Python's; we own a reference or borrow one
struct PyThread;  // a thread state
struct PyInterpreter;
struct PythonLayout;

struct PythonApi {
  const char* (*version)();
  int (*is_initialized)();
  int (*is_finalizing)();
  PyThread* (*this_thread)();  // of the calling thread, with the GIL or not
  PyThread* (
      *current_thread)();  // of the thread with the GIL, null if none has it
  PyInterpreter* (*main_interpreter)();
  PyInterpreter* (*interpreter)();
  PyObject* (*frame)();  // borrowed
  PyObject* (*frame_back)(PyObject*);
  PyObject* (*frame_code)(PyObject*);
  int (*frame_line)(PyObject*);
  int (*frame_instruction)(PyObject*);  // null before 3.11
  int (*gc_disable)();                  // null before 3.10
  int (*gc_enable)();
  void (*keep)(PyObject*);
  void (*drop)(PyObject*);  // null is allowed
  PyObject* none;
  PyObject* (*attribute)(PyObject*, const char*);
  const char* (*utf8)(PyObject*, long*);  // borrowed, null with an error set
  PyObject* (*encode)(PyObject*, const char*, const char*);
  char* (*bytes)(PyObject*);
  void (*fetch_error)(PyObject**, PyObject**, PyObject**);
  void (*restore_error)(PyObject*, PyObject*, PyObject*);
  void (*clear_error)();
  // For reading without these functions; see python_in_place.h. The layout is
  // null if this version's is unknown.
  const PythonLayout* layout;
  int (*code_line)(PyObject*, int);  // of an instruction, in bytes
  void* code_type;
  void* text_type;
  void* bytes_type;
};

// Null until a supported Python was found. Any thread.
const PythonApi* Python();

}  // namespace inquest::collector
