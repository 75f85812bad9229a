// SPDX-License-Identifier: Apache-2.0
// Where CPython stores what a reader of frames needs: byte offsets from the
// beginning of its structs, by minor version of Python 3, for 64-bit builds
// with a GIL and without Py_DEBUG. From the releases' Include/ (cpython/
// pystate.h, code.h, unicodeobject.h, frameobject.h, internal/pycore_frame.h).
// Callers first verify that the current process has this layout; see
// python_in_place.h.
#pragma once

#include <cstdint>

namespace inquest::collector {

struct PythonLayout {
  // How a frame stores its position in the code: an index of bytes, of two-byte
  // code units, or a pointer.
  enum class Instruction : uint8_t { kBytes, kUnits, kPointer };

  int minor;
  uint16_t thread_frame;  // PyThreadState: the innermost frame
  int16_t through;        // >= 0: through a struct in between, offset in it
  uint16_t frame_code;
  uint16_t frame_back;
  uint16_t frame_instruction;
  Instruction instruction;
  int16_t frame_owner;  // -1: every frame has Python code
  uint16_t code_first_line;
  uint16_t code_file;
  uint16_t code_name;  // qualified if there is such a name
  uint16_t code_lines;
  uint16_t code_bytes;  // the start for kPointer
  uint16_t text_ascii;  // str: the characters, if all are ASCII
  uint16_t text_other;  // and if not
};

// The same in all versions.
inline constexpr uint16_t kPyThreadInterpreter = 16;
inline constexpr uint16_t kPyObjectType = 8;
inline constexpr uint16_t kPySize = 16;  // of a str, of bytes
inline constexpr uint16_t kPyTextState = 32;
inline constexpr uint16_t kPyBytesData = 32;
// From this value on the owner is not a function but the interpreter itself.
inline constexpr uint8_t kPyFirstForeignOwner = 3;

// Null for an unknown version.
const PythonLayout* PythonLayoutOf(int minor);

}  // namespace inquest::collector
