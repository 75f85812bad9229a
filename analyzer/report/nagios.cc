// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/nagios.h"

#include <algorithm>

#include "analyzer/report/report.h"
#include "base/units.h"

namespace inquest::report {
namespace {

std::string Line(NagiosState state, std::string words) {
  constexpr const char* kWords[] = {"OK", "WARNING", "CRITICAL", "UNKNOWN"};
  // What follows a bar is taken for figures.
  std::ranges::replace(words, '|', '/');
  return std::string("INQUEST ") + kWords[static_cast<int>(state)] + " - " +
         Printable(words, 1000) + "\n";
}

const findings::Finding* FirstRisk(const findings::Diagnosis& diagnosis) {
  for (const findings::Finding& one : diagnosis.findings) {
    if (findings::IsRisk(one)) return &one;
  }
  return nullptr;
}

}  // namespace

NagiosState NagiosStateOf(const findings::Diagnosis& diagnosis) {
  const std::string& cause = diagnosis.verdict.cause;
  if (cause == "unknown") return NagiosState::kUnknown;
  if (cause != "none") return NagiosState::kCritical;
  return FirstRisk(diagnosis) == nullptr ? NagiosState::kOk
                                         : NagiosState::kWarning;
}

std::string NagiosLine(const findings::Diagnosis& diagnosis) {
  const NagiosState state = NagiosStateOf(diagnosis);
  std::string words = OneLine(diagnosis);
  if (state == NagiosState::kWarning) {
    const findings::Finding& risk = *FirstRisk(diagnosis);
    words = risk.title + "; " + words;
  }
  return Line(state, words);
}

std::string NagiosLine(const std::string& why_not) {
  return Line(NagiosState::kUnknown, why_not);
}

}  // namespace inquest::report
