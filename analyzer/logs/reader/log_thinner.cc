// SPDX-License-Identifier: Apache-2.0
#include "analyzer/logs/reader/log_thinner.h"

#include <algorithm>

namespace inquest::ingest {
namespace {

bool IsHarmless(rules::Role role) {
  return role == rules::Role::kProgress || role == rules::Role::kContext ||
         role == rules::Role::kMilestone || role == rules::Role::kBenign ||
         role == rules::Role::kAdvice || role == rules::Role::kSuspect;
}

}  // namespace

Thinner::Thinner(const rules::SignatureSet& signatures, int64_t most)
    : muted_(signatures.size(), 0),
      left_(signatures.size(), -1),
      common_(signatures.size()) {
  for (size_t i = 0; i < left_.size(); ++i) {
    const rules::Role role = signatures.role(i);
    common_[i] = IsHarmless(role) && role != rules::Role::kBenign;
    if (IsHarmless(signatures.role(i)) && !signatures.IsPartOfMany(i)) {
      left_[i] = std::max<int64_t>(most, 1) * kTries;
    }
  }
}

void Thinner::Spend(size_t signature, int64_t tries) {
  if (left_[signature] < 0) return;
  left_[signature] = std::max<int64_t>(left_[signature] - tries, 0);
  if (left_[signature] > 0) return;
  muted_[signature] |= kThin;
  thinned_ = true;
}

bool Thinner::Allow(int64_t times) {
  bool any = false;
  for (size_t i = 0; thinned_ && i < muted_.size(); ++i) {
    if ((muted_[i] & kThin) == 0) continue;
    muted_[i] &= static_cast<uint8_t>(~kThin);
    left_[i] = times * kTries;
    any = true;
  }
  return any;
}

bool Thinner::Resume() {
  bool any = false;
  for (uint8_t& why : muted_) {
    any = any || (why & kOff) != 0;
    why &= static_cast<uint8_t>(~kOff);
  }
  return any;
}

}  // namespace inquest::ingest
