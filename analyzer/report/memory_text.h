// SPDX-License-Identifier: Apache-2.0
// A recorded run's use of device memory in the text report: the figures of each
// device, and who held what at the peak. Only formats.
#pragma once

#include <string>

#include "analyzer/report/painter.h"
#include "analyzer/report/summary.h"

namespace inquest::report {

std::string MemoryText(const Summary& summary, const Painter& paint);

}  // namespace inquest::report
