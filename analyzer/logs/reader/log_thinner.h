// SPDX-License-Identifier: Apache-2.0
// Mutes harmless signatures that have matched often enough in a log, so that
// their lines cost no more than others. Progress signatures are also muted
// after enough unsuccessful attempts: their words are everywhere, and a log
// that reports progress does so on many lines. Internal to the log reader.
#pragma once

#include <cstdint>

#include "analyzer/rules/signatures/signature_set.h"

namespace inquest::ingest {

class Thinner {
 public:
  Thinner(const rules::SignatureSet& signatures, int64_t most);

  // The signature was tried on a line without success; may mute it.
  void CountTry(size_t signature) {
    if (progress_[signature]) Spend(signature, 1);
  }
  // One of its events was reported; counts as kTries attempts.
  void CountEvent(size_t signature) { Spend(signature, kTries); }
  // Every muted signature may be reported `times` more times. True if there are
  // any.
  bool Allow(int64_t times);

  // Trouble makes what follows worth reporting.
  bool IsTrouble(size_t signature) const { return left_[signature] < 0; }
  const rules::SignatureSet::Muted& muted() const { return muted_; }
  bool thinned() const { return thinned_; }

 private:
  static constexpr int64_t kTries = 16;
  void Spend(size_t signature, int64_t tries);

  rules::SignatureSet::Muted muted_;
  std::vector<int64_t> left_;  // attempts until it is muted; < 0: never
  std::vector<bool> progress_;
  bool thinned_ = false;
};

}  // namespace inquest::ingest
