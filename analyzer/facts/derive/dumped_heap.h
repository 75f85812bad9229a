// The heaps that allocators dump into logs at a refused request (TensorFlow's
// and XLA's BFC: every chunk with address and size): gives each chunk to the
// refusal above it and fills `heap_block`, and in `oom` what follows from the
// whole: gap_bytes, largest_free_bytes and in_use_bytes. Called once, after
// CollectLogOoms. A dump that is a file of its own, imported, is a refusal too;
// what was asked for it does not tell.
//
// Chunks that overlap are of several dumps that were printed into each other,
// or of a damaged one; such a heap is left out rather than guessed at.
#pragma once

#include "analyzer/facts/store/store.h"

namespace inquest::facts {

Status CollectDumpedHeaps(Store* store);

}  // namespace inquest::facts
