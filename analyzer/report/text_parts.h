// SPDX-License-Identifier: Apache-2.0
// Parts of the text report for other forms of it, so that all say the same in
// the same words. Internal to report/. Always printable.
#pragma once

#include <string>

#include "analyzer/report/memory_text.h"
#include "analyzer/report/painter.h"
#include "analyzer/report/report.h"

namespace inquest::report {

// The title over what the verdict is thought to have led to; the reasons, which
// are known in general only, are for `-v` and `inquest explain`.
inline constexpr char kConsequences[] = "Taken for its consequences";

// "confirmed, GPU 0, pid 31848, rule trace.oom.fragmentation"; empty where no
// cause is named.
std::string StandingText(const findings::Diagnosis& diagnosis);

// "while the model was loaded, in create_weights (fp8.py:259)"; empty where
// several tracebacks differ.
std::string PlaceText(const findings::Diagnosis& diagnosis);

// All below the verdict's own evidence, figures and fixes: titles, each with
// its indented lines below it. Empty if there is nothing to say.
std::string BesideRootText(const ReportInput& input,
                           const MemoryTelling& memory, const Painter& paint);

}  // namespace inquest::report
