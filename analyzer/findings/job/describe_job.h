// SPDX-License-Identifier: Apache-2.0
// Joins findings with the ranks and nodes of a job. NamePlaces runs before the
// ranking: a finding of a rank learns its node, one of a process or a bus
// address on a node its rank. DescribeJob runs after it.
#pragma once

#include "analyzer/facts/store/store.h"
#include "analyzer/findings/finding.h"

namespace inquest::findings {

Status NamePlaces(facts::Store* store, Diagnosis* diagnosis);
Status DescribeJob(facts::Store* store, Diagnosis* diagnosis);

}  // namespace inquest::findings
