// SPDX-License-Identifier: Apache-2.0
// What a process was started with, from /proc, with secrets masked: of the
// recorded process and of others that hold memory on its devices.
#pragma once

#include <string>

namespace inquest::collector {

// `pid` as in /proc: a number or "self". Up to 16 KiB; empty if it is not there
// or may not be read.
std::string CommandLineOf(const std::string& pid);

}  // namespace inquest::collector
