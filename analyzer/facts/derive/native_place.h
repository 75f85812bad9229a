// SPDX-License-Identifier: Apache-2.0
// Where native code failed, as the frames of a C++ stack tell: libtorch's
// "frame #3: …", gdb's "#3 0x… in …", glog's "@ 0x… …", backtrace_symbols' and
// backward-cpp's lines. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/facts/store/log_rows.h"

namespace inquest::facts {

// The name of a function without what it returns, its arguments and template
// parameters; mangled names are read.
std::string PlainFunction(std::string_view symbol);

// The innermost frame of a program or of its own library, with the library's
// function that it called; else the innermost function of a library. Nothing,
// if all are machinery: raising the error, unwinding, the interpreter, NCCL's
// watchdog. Innermost frames first.
std::optional<std::string> PlaceOfNative(const std::vector<NativeFrame>& stack);

}  // namespace inquest::facts
