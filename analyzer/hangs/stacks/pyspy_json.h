// SPDX-License-Identifier: Apache-2.0
// What `py-spy dump --json` writes, as the text that it writes without --json,
// which the readers of stacks know. Innermost frames first in both. For the
// command line, which knows a file's content; pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace inquest::hangs {

// Empty for other JSON and for text that is not JSON.
std::optional<std::string> PySpyText(std::string_view json);

}  // namespace inquest::hangs
