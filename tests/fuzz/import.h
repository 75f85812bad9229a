// SPDX-License-Identifier: Apache-2.0
// A file of another tool from its bytes to its facts: import, and the replay of
// what it says. Bytes that are nothing of that kind are no fault of the
// program.
#pragma once

#include <string>
#include <string_view>

void FuzzImport(std::string_view kind, const std::string& bytes);
