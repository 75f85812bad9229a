// SPDX-License-Identifier: Apache-2.0
// Where each rank of a job ran: its node, process and GPU, from what NCCL
// prints when it has set up a communicator, from the processes that were
// recorded and from the logs' own names. So a kernel log that knows a process
// or a bus address, but no ranks, can be joined with a rank's log that knows
// neither. Fills the fact `rank_place`. Called by the pipeline after the logs
// were read.
#pragma once

#include "analyzer/facts/store/store.h"

namespace inquest::facts {

Status FindRankPlaces(Store* store);

}  // namespace inquest::facts
