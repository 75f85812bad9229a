// SPDX-License-Identifier: Apache-2.0
// The number of the process that a finding's own lines name, where no pattern
// took it: "(pid: 4711)", "received by PID 4711", "process  pid 4711 thread".
// Many programs say it in words of their own, and it is what a person looks
// for on the node. Called once when findings are collected; pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "analyzer/findings/finding.h"

namespace inquest::findings {

// The only number that stands behind the word; none if there are several.
std::optional<int64_t> PidIn(std::string_view line);

// Adds the figure `pid`: that of the process that was ended, else the one that
// the lines name, if they name one alone and no other figure has that number.
void AddSaidPid(Finding* finding);

}  // namespace inquest::findings
