// SPDX-License-Identifier: Apache-2.0
// What a person may ask next, as commands that can be copied. For the text
// report.
#pragma once

#include <cstddef>
#include <string>

#include "analyzer/report/painter.h"
#include "analyzer/report/report.h"

namespace inquest::report {

// A section for a terminal of `width` columns; empty where the inputs cannot be
// read again (a pipe), or nothing is left to ask.
struct NotShown {
  size_t figures = 0;
  bool other_things = false;
};

std::string NextSteps(const ReportInput& input, const NotShown& not_shown,
                      size_t width, const Painter& paint);

}  // namespace inquest::report
