// SPDX-License-Identifier: Apache-2.0
// The findings beside the verdict in the text report, one line each; findings
// that differ only in rank, device or process share a line.
#pragma once

#include <string>

#include "analyzer/findings/finding.h"
#include "analyzer/report/painter.h"

namespace inquest::report {

// The first few findings of one standing under a title, without the verdict's
// own and those like it; `all`: all of them, with the reasons. Empty if there
// are none.
std::string FindingLines(const findings::Diagnosis& diagnosis,
                         findings::Standing standing, const char* title,
                         bool all, const Painter& paint);

// What may kill the next run although it did not kill this one.
std::string RiskLines(const findings::Diagnosis& diagnosis, bool all,
                      const Painter& paint);
// What a recording shows though nothing is wrong; of a run that died only with
// `all`.
std::string RemarkLines(const findings::Diagnosis& diagnosis, bool all,
                        const Painter& paint);

}  // namespace inquest::report
