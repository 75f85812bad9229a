// SPDX-License-Identifier: Apache-2.0
// What pip has installed beside a library: the NAME-VERSION.dist-info folders
// of a site-packages. Reads files, runs nothing. Background thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace inquest::collector {

// Enough for the parts of packages' files that are looked at.
inline constexpr size_t kMaxPackageFileBytes = 64u << 10;
// The first `most` bytes of a regular file; empty when it cannot be read.
std::string ReadFile(const std::string& path, size_t most);

// The version of the distribution that brought the library at this path;
// empty when it does not lie in a site-packages or nobody names it.
std::string VersionOfDistributionWith(const std::string& library);

// The version of the distribution that has put this top-level folder into
// `site`, whatever its own name is: tensorflow came as tensorflow_gpu as well.
std::string VersionOfDistributionOf(const std::string& site,
                                    std::string_view folder);

}  // namespace inquest::collector
