// SPDX-License-Identifier: Apache-2.0
// Who may have kept the others waiting: ranks that are silent where others
// report that they waited. For describe_job.h.
#pragma once

#include "analyzer/facts/store/store.h"
#include "analyzer/findings/finding.h"
#include "analyzer/findings/job/job.h"

namespace inquest::findings {

// Of a job whose ranks and waits are known; none where a cause is known.
Status FillSuspects(facts::Store* store, const Diagnosis& diagnosis, Job* job);

}  // namespace inquest::findings
