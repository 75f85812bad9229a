// SPDX-License-Identifier: Apache-2.0
// What a recorded run did with device memory, in the text report: the devices'
// figures, and who held what when most was held. Words only.
#pragma once

#include <string>

#include "analyzer/report/painter.h"
#include "analyzer/report/summary.h"

namespace inquest::report {

std::string MemoryText(const Summary& summary, const Painter& paint);

}  // namespace inquest::report
