// SPDX-License-Identifier: Apache-2.0
// How common four successive bytes are in logs. Called while the sieve is
// built.
#pragma once

#include <cstdint>
#include <unordered_map>

namespace inquest::rules {

class CommonPieces {
 public:
  CommonPieces();
  // `bytes` as sieve::Load returns them. Greater for more common ones; only
  // good for a comparison.
  int CountOf(uint32_t bytes) const;

 private:
  std::unordered_map<uint32_t, int> ordinary_;
};

}  // namespace inquest::rules
