// SPDX-License-Identifier: Apache-2.0
// What a run was doing when it failed, where no stack tells: a bar that had not
// come to its end stands above the failure ("Loading checkpoint shards: 33%"),
// or the words by which a trainer says that it is done; of a rank whose
// traceback is not in the log, what all others in it were doing. Findings
// without a `phase` get it (rules/world.yaml).
#pragma once

#include "analyzer/facts/store/store.h"
#include "analyzer/findings/finding.h"

namespace inquest::findings {

Status NameStages(facts::Store* store, Diagnosis* diagnosis);

}  // namespace inquest::findings
