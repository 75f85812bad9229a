// SPDX-License-Identifier: Apache-2.0
// What a fuzzed part of the program does with any bytes whatever. It must
// return: with an error or without, but not crash, hang or grow without bounds.
#pragma once

#include <string>

void FuzzOne(const std::string& bytes);
