// SPDX-License-Identifier: Apache-2.0
#include "analyzer/rules/signatures/match_budget.h"

#include <algorithm>

namespace inquest::rules {

void MatchBudget::BeginPart() {
  allowed_ = std::max(allowed_, spent_ + limits_.ns_of_log);
}

void MatchBudget::CountBytes(size_t bytes) {
  allowed_ += static_cast<int64_t>(bytes) * limits_.ns_per_byte;
}

std::vector<size_t> MatchBudget::Greediest(const std::vector<uint8_t>& off) {
  looked_at_ = spent_;
  int64_t all = 0;
  int64_t active = 0;
  for (size_t i = 0; i < taken_.size(); ++i) {
    if (off[i] != 0 || taken_[i].ns == 0) continue;
    all += taken_[i].ns;
    ++active;
  }
  std::vector<size_t> greediest;
  for (size_t i = 0; i < taken_.size(); ++i) {
    if (off[i] != 0 || taken_[i].ns == 0) continue;
    if (taken_[i].ns * active < all) continue;
    taken_[i].was_off = true;
    greediest.push_back(i);
  }
  return greediest;
}

std::vector<size_t> MatchBudget::SwitchedOff() const {
  std::vector<size_t> found;
  for (size_t i = 0; i < taken_.size(); ++i) {
    if (taken_[i].was_off) found.push_back(i);
  }
  return found;
}

}  // namespace inquest::rules
