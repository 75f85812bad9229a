// SPDX-License-Identifier: Apache-2.0
// Finds which pip package a library came with, from the NAME-VERSION.dist-info
// folders of a site-packages. Reads files, runs nothing. Background thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace inquest::host {

// Enough for the parts of packages' files that are read.
inline constexpr size_t kMaxPackageFileBytes = 64u << 10;
// The first `most` bytes of a regular file; empty if it cannot be read.
std::string ReadFile(const std::string& path, size_t most);

// The version of the distribution that installed the library at this path;
// empty if it is not in a site-packages or no distribution lists it.
std::string VersionOfDistributionWith(const std::string& library);

struct ListedFile {
  std::string version;  // of the distribution that lists it; empty: none does
  int64_t bytes = -1;   // as listed; -1: not said
};
// What the RECORD of a distribution says of the file at this path, which need
// not be there.
ListedFile ListedBy(const std::string& path);

// The version of the distribution that installed this top-level folder in
// `site`, whatever its name: tensorflow was also distributed as tensorflow_gpu.
std::string VersionOfDistributionOf(const std::string& site,
                                    std::string_view folder);

}  // namespace inquest::host
