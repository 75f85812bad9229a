// SPDX-License-Identifier: Apache-2.0
// Fills `collective_stall` and `collective_rank` from the dumps of flight
// recorders (collective_waits.h). Called once, after the facts were defined;
// without such dumps it does nothing. Of two dumps of one rank the later one
// counts; dumps of unknown ranks are left out.
#pragma once

#include "analyzer/facts/store/store.h"

namespace inquest::facts {

Status CollectStalls(Store* store);

}  // namespace inquest::facts
