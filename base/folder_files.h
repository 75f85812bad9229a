// SPDX-License-Identifier: Apache-2.0
// The files of a folder that is not trusted, such as a rule pack:
// bounded in depth and number, and never outside the folder. Links are followed
// to files within it only (a mounted folder of settings consists of such
// links); links to folders are not followed. Used by the loaders of rules and
// rule tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/status.h"

namespace inquest {

struct FolderLimits {
  size_t depth = 32;         // folders within folders
  size_t entries = 100'000;  // of any kind, in all folders
  size_t files = 10'000;     // that are wanted
  int64_t bytes = 64 << 20;  // of one file
};

struct FolderFiles {
  std::vector<std::string> files;    // regular ones, sorted
  std::vector<std::string> outside;  // links that lead out of the folder
};

// `wanted` gets a path; `enter` a folder's, and says whether to look into it.
using PathTest = std::function<bool(const std::string& path)>;
Expected<FolderFiles> FilesUnder(const std::string& folder,
                                 const PathTest& wanted, const PathTest& enter,
                                 const FolderLimits& limits = {});

// Whether `path` is a link whose target is not within `folder`.
bool LeadsOut(const std::string& folder, const std::string& path);
// The same for a file by itself: its folder is the one that has the link.
bool LeadsOut(const std::string& path);

// Replaces a file at once or not at all; a link stays, and the file that it
// leads to is replaced. What is at `path` besides a file or such a link is left
// alone, with an error.
Status ReplaceFile(const std::string& path, const std::string& text);

}  // namespace inquest
