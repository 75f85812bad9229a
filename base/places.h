// SPDX-License-Identifier: Apache-2.0
// Formats places in programs (file, line, function) for people.
#pragma once

#include <string>
#include <string_view>

namespace inquest {

// "/home/me/train.py:57 in step < /home/me/main.py:3 in <module>" without the
// folders.
std::string WithoutFolders(std::string_view chain);

}  // namespace inquest
