// SPDX-License-Identifier: Apache-2.0
// Files for the user alone (mode 0600) that appear complete or not at all: what
// stood there before stays until the new one is written. For reports, which
// quote logs. Never replaces a link, a device or a pipe.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace inquest::cli {

// Whether WritePrivateFile could put a file there, as far as can be told
// without writing.
Status MayReplace(const std::string& path);

Status WritePrivateFile(const std::string& path, const std::string& text);

// The same for what comes piece by piece: `write` is given a function to call
// with each; its failure leaves no file.
using PrivateFileSink = std::function<Status(std::string_view)>;
Status WritePrivateFile(
    const std::string& path,
    const std::function<Status(const PrivateFileSink&)>& write);

}  // namespace inquest::cli
