// SPDX-License-Identifier: Apache-2.0
// What a process becomes in a Perfetto trace; perfetto.cc calls these for each.
#pragma once

#include <string>

#include "analyzer/facts/store/store.h"
#include "analyzer/perfetto/track_writer.h"

namespace inquest::perfetto {

struct ProcessTracks {
  facts::Store* store;
  TrackWriter* writer;
  int process;  // process.process
  Track track;
  Options options;
};

// Counters and allocations, from the events themselves.
Status WriteMemory(const ProcessTracks& tracks, Written* written);
// Steps, samples of the driver, cuDNN, refusals, errors.
Status WriteFacts(const ProcessTracks& tracks);

}  // namespace inquest::perfetto
