// SPDX-License-Identifier: Apache-2.0
// Results in files: one, or many line by line; and where the result of a run
// is kept. Shared by the commands that load or write results.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "base/status.h"

namespace inquest::cli {

inline constexpr std::string_view kResultSuffix = ".diagnosis.json";

// A folder's results, sorted; empty if it has none or is not a folder.
std::vector<std::string> ResultsIn(const std::string& folder);
// Whether a file begins as a result, so that it is not a run to diagnose.
bool LooksLikeResult(const std::string& path);

using TakeResult =
    std::function<void(const std::string& text, const std::string& source)>;
// Calls `take` for each result of a stream: a line each, or all of it as one.
void EachResult(std::istream& in, const std::string& name,
                const TakeResult& take);
// The same for a file.
Status EachResultIn(const std::string& path, const TakeResult& take);

// The file in `folder` for the result of the run at `path`: its name, and a
// hash of the whole path.
std::string ResultFileOf(const std::string& folder, const std::string& path);

}  // namespace inquest::cli
