// SPDX-License-Identifier: Apache-2.0
// Where the dynamic linker would find a library, without loading it:
// LD_LIBRARY_PATH, /etc/ld.so.cache, the standard folders (ld.so(8)). A library
// found through an RPATH of its caller is not found here. Reads files only.
#pragma once

#include <string>
#include <string_view>

namespace inquest::host {

// The path, empty if there is none. `root` goes before all but the folders of
// LD_LIBRARY_PATH.
std::string FindLibrary(const std::string& name, const std::string& root);

// The two steps of it: a list of folders with ":" or ";" between them, and what
// the whole system shares.
std::string FindInFolders(std::string_view list, const std::string& name);
std::string FindInSystem(const std::string& name, const std::string& root);

// The part after ".so." in the name of the file that the path resolves to, if
// it is more than a major number; else empty.
std::string VersionInFileName(const std::string& path);

}  // namespace inquest::host
