// SPDX-License-Identifier: Apache-2.0
// Mutes harmless signatures that have matched often in a log, so that their
// lines cost no more than others. Those of progress and suspects are also muted
// after many unsuccessful attempts: their words are frequent, and a log that
// has such lines has many. Internal to the log reader.
#pragma once

#include <cstdint>

#include "analyzer/rules/signatures/signature_set.h"

namespace inquest::ingest {

class Thinner {
 public:
  Thinner(const rules::SignatureSet& signatures, int64_t most);

  // The signature was tried on a line without success; may mute it.
  void CountTry(size_t signature) {
    if (common_[signature]) Spend(signature, 1);
  }
  // One of its events was reported; counts as kTries attempts.
  void CountEvent(size_t signature) { Spend(signature, kTries); }
  // Every muted signature may be reported `times` more times. True if there are
  // any.
  bool Allow(int64_t times);

  // Takes a signature out of the scan until the next Resume.
  void SwitchOff(size_t signature) { muted_[signature] |= kOff; }
  // True if there were any.
  bool Resume();

  // After trouble, the following lines are worth reporting.
  bool IsTrouble(size_t signature) const { return left_[signature] < 0; }
  const rules::SignatureSet::Muted& muted() const { return muted_; }
  bool thinned() const { return thinned_; }

 private:
  static constexpr int64_t kTries = 16;
  static constexpr uint8_t kThin = 1;  // why it is muted
  static constexpr uint8_t kOff = 2;
  void Spend(size_t signature, int64_t tries);

  rules::SignatureSet::Muted muted_;
  std::vector<int64_t> left_;  // attempts until it is muted; < 0: never
  std::vector<bool> common_;   // attempts count
  bool thinned_ = false;
};

}  // namespace inquest::ingest
