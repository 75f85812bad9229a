// SPDX-License-Identifier: Apache-2.0
// Calls a part of the program with arbitrary bytes. It must return, with an
// error or without, and not crash, hang or use unbounded memory.
#pragma once

#include <string>

void FuzzOne(const std::string& bytes);
