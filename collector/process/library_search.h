// SPDX-License-Identifier: Apache-2.0
// Where the dynamic linker would find a library, without loading it:
// LD_LIBRARY_PATH, /etc/ld.so.cache, the standard folders (ld.so(8)). A library
// found through an RPATH of its caller is not found here. Reads files only.
#pragma once

#include <string>

namespace inquest::collector {

// The path, empty if there is none. `root` goes before all but the folders of
// LD_LIBRARY_PATH.
std::string FindLibrary(const std::string& name, const std::string& root);

}  // namespace inquest::collector
