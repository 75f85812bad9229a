// SPDX-License-Identifier: Apache-2.0
// Where CPython keeps what a reader of frames needs: offsets in bytes from the
// beginning of its structs, by minor version of Python 3, for 64-bit builds
// with a GIL and without Py_DEBUG. From the releases' Include/ (cpython/
// pystate.h, code.h, unicodeobject.h, frameobject.h, internal/pycore_frame.h).
// Whoever uses them proves first that the process at hand is laid out so; see
// python_in_place.h.
#pragma once

#include <cstdint>

namespace inquest::collector {

struct PythonLayout {
  // How a frame says where in its code it is: an index of bytes, of code units
  // of two bytes, or a pointer.
  enum class Instruction : uint8_t { kBytes, kUnits, kPointer };

  int minor;
  uint16_t thread_frame;  // PyThreadState: the innermost frame
  int16_t through;        // >= 0: of a struct between the two, offset in that
  uint16_t frame_code;
  uint16_t frame_back;
  uint16_t frame_instruction;
  Instruction instruction;
  int16_t frame_owner;  // -1: every frame is one of Python's code
  uint16_t code_first_line;
  uint16_t code_file;
  uint16_t code_name;  // qualified where there is such a name
  uint16_t code_lines;
  uint16_t code_bytes;  // what a kPointer is counted from
  uint16_t text_ascii;  // str: the characters, where all are ASCII
  uint16_t text_other;  // and where not
};

// The same in all versions.
inline constexpr uint16_t kPyThreadInterpreter = 16;
inline constexpr uint16_t kPyObjectType = 8;
inline constexpr uint16_t kPySize = 16;  // of a str, of bytes
inline constexpr uint16_t kPyTextState = 32;
inline constexpr uint16_t kPyBytesData = 32;
// From here on an owner is no function, but the interpreter itself.
inline constexpr uint8_t kPyFirstForeignOwner = 3;

// Null for a version that is not known.
const PythonLayout* PythonLayoutOf(int minor);

}  // namespace inquest::collector
