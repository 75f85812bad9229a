// SPDX-License-Identifier: Apache-2.0
// Runs a file of another tool from its bytes to its facts: import and replay.
// It is not a failure if the bytes are not such a file.
#pragma once

#include <string>
#include <string_view>

void FuzzImport(std::string_view kind, const std::string& bytes);
