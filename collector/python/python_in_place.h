// SPDX-License-Identifier: Apache-2.0
// Reads the calling thread's Python frames where they lie, with the GIL or
// without. PyTorch's operators, ctypes and most extensions give the GIL up
// around their work, and that is where memory is asked for.
//
// Why this is sound without the GIL: the frames of a thread that is inside a
// call into C are changed by nobody but itself, they hold their code objects,
// and of these only what never changes is read. Nothing is counted, kept or
// made. The one who frees a thread's state is the interpreter when it is
// finalized, with the GIL and on the process's first thread: so a thread is
// read that holds the GIL, or that is this first one. A daemon thread without
// the GIL could be read while its state goes.
//
// The layout is that of the version (python_layout.h), and is proven before it
// is relied on: the first frames that are seen are read through the kernel,
// which refuses what is not there, and every object on the way has to be of the
// type that it should be. Where that fails, or the kernel does not allow it,
// frames are read through the C API only.
#pragma once

#include <cstdint>
#include <string>

#include "collector/python/python_api.h"

namespace inquest::collector {

struct PythonPlace {
  uintptr_t code = 0;   // object
  int instruction = 0;  // bytes from its beginning
  // Tells this place in this code from any other, also from one in a code
  // object that got the address of one that died. Not 0.
  uint64_t identity = 0;
};

struct PythonPlaceText {
  int line = 0;
  std::string file;
  std::string function;
};

inline constexpr int kNotInPlace = -1;
// The frames of this thread, innermost first, at most `most`, and how many
// there are; kNotInPlace where they cannot be read so in this process.
int PlacesInPlace(const PythonApi& api, PythonPlace* places, int most);
// May throw std::bad_alloc.
PythonPlaceText DescribeInPlace(const PythonApi& api, const PythonPlace& place);

}  // namespace inquest::collector
