// SPDX-License-Identifier: Apache-2.0
// The part of the text report about device memory: what was held, by which
// sites, and what is allocated anew in each step.
#pragma once

#include <string>

#include "analyzer/report/memory_chart.h"
#include "analyzer/report/painter.h"
#include "analyzer/report/summary.h"

namespace inquest::report {

// How much of it is shown.
struct MemoryTelling {
  bool all = true;      // else the device of the picture first, and no advice
  bool sites = true;    // who held it at the peak
  std::string picture;  // lines below the line of its device
  int64_t process = 0;
  int64_t device = 0;
};

std::string MemoryText(const Summary& summary, const MemoryTelling& telling,
                       const Painter& paint);

}  // namespace inquest::report
