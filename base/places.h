// Places in programs, as people want to read them.
#pragma once

#include <string>
#include <string_view>

namespace inquest {

// "/home/me/train.py:57 in step < /home/me/main.py:3 in <module>" without the
// folders.
std::string WithoutFolders(std::string_view chain);

}  // namespace inquest
