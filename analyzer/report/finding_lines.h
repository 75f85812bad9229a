// The findings beside the verdict in the text report, a line each; those that
// say the same of many ranks, devices or processes are one line.
#pragma once

#include <string>

#include "analyzer/findings/finding.h"
#include "analyzer/report/painter.h"

namespace inquest::report {

// Findings of this standing under a title; the verdict's own, and what is
// alike to it, are left out. Empty where there are none.
std::string FindingLines(const findings::Diagnosis& diagnosis,
                         findings::Standing standing, const char* title,
                         const Painter& paint);

// What a run that lived should be told all the same.
std::string RiskLines(const findings::Diagnosis& diagnosis,
                      const Painter& paint);

}  // namespace inquest::report
