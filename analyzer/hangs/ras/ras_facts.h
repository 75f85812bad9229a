// SPDX-License-Identifier: Apache-2.0
// Writes the fact ras_state. Called once, after the last log. One thread.
#pragma once

#include "analyzer/facts/store/store.h"
#include "analyzer/hangs/ras/ras_model.h"

namespace inquest::hangs {

Status WriteRasFacts(const RasReports& reports, facts::Store* store);

}  // namespace inquest::hangs
