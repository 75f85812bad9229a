// SPDX-License-Identifier: Apache-2.0
// A diagnosis as monitoring plugins tell it: a word, a sentence and an exit
// code of four. For `--nagios`.
#pragma once

#include <string>

#include "analyzer/findings/finding.h"

namespace inquest::report {

enum class NagiosState : int {
  kOk = 0,
  kWarning = 1,
  kCritical = 2,
  kUnknown = 3
};

// OK: it ended well, or lives, and nothing endangers the next run. WARNING: a
// risk. CRITICAL: a cause of death is named. UNKNOWN: anything else.
NagiosState NagiosStateOf(const findings::Diagnosis& diagnosis);

// "INQUEST CRITICAL - GPU 0 ran out of memory … (memory/capacity)"; one line.
std::string NagiosLine(const findings::Diagnosis& diagnosis);
// Where nothing could be diagnosed.
std::string NagiosLine(const std::string& why_not);

}  // namespace inquest::report
