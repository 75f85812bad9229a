// SPDX-License-Identifier: Apache-2.0
// Reads the calling thread's Python frames in place, with or without the GIL.
// PyTorch's operators, ctypes and most extensions release the GIL during their
// work, and that is when memory is requested.
//
// Why this is safe without the GIL: while a thread is inside a call into C,
// only it changes its frames; the frames hold references to their code objects,
// and only immutable parts of these are read. No reference count changes and no
// object is created. A thread's state is freed by the interpreter's
// finalization, which runs with the GIL on the process's first thread; so only
// a thread that holds the GIL, or the first thread, is read. The state of a
// daemon thread without the GIL could be freed while it is read.
//
// The layout is that of the version (python_layout.h) and is verified before it
// is used: the first frames are read through the kernel, which reports invalid
// addresses as errors, and every object on the way must have the expected type.
// If that fails, or the kernel does not allow it, frames are read only through
// the C API.
#pragma once

#include <cstdint>
#include <string>

#include "collector/python/python_api.h"

namespace inquest::collector {

struct PythonPlace {
  uintptr_t code = 0;   // object
  int instruction = 0;  // bytes from its beginning
  // Identifies this place in this code, even if a new code object gets the
  // address of a freed one. Not 0.
  uint64_t identity = 0;
};

struct PythonPlaceText {
  int line = 0;
  std::string file;
  std::string function;
};

inline constexpr int kNotInPlace = -1;
// Fills in the frames of this thread, innermost first, at most `most`, and
// returns their number; kNotInPlace if they cannot be read in place in this
// process.
int PlacesInPlace(const PythonApi& api, PythonPlace* places, int most);
// May throw std::bad_alloc.
PythonPlaceText DescribeInPlace(const PythonApi& api, const PythonPlace& place);

}  // namespace inquest::collector
