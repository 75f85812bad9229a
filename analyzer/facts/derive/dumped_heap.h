// SPDX-License-Identifier: Apache-2.0
// The heaps that allocators dump into logs at a refused request (TensorFlow's
// and XLA's BFC: every chunk with address and size): assigns each chunk to the
// refusal above it and fills `heap_block`, and in `oom` the sums gap_bytes,
// largest_free_bytes and in_use_bytes. Called once, after CollectLogOoms. An
// imported dump file is also a refusal, of unknown size.
//
// Overlapping chunks come from interleaved or damaged dumps; such a heap is
// left out.
#pragma once

#include "analyzer/facts/store/store.h"

namespace inquest::facts {

Status CollectDumpedHeaps(Store* store);

}  // namespace inquest::facts
