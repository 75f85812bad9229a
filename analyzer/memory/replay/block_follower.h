// SPDX-License-Identifier: Apache-2.0
// Sees each block go while a trace is replayed (replay.h).
#pragma once

#include <cstdint>

#include "trace/store/ledger.h"

namespace inquest::memory {

class BlockFollower {
 public:
  virtual ~BlockFollower() = default;
  virtual void OnFree(const trace::Place& place, const trace::Block& block,
                      int64_t time) = 0;
  // That free had failed.
  virtual void OnRestore(const trace::Place& place,
                         const trace::Block& block) = 0;
};

}  // namespace inquest::memory
