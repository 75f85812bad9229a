// SPDX-License-Identifier: Apache-2.0
#include "analyzer/logs/reader/log_repeats.h"

#include "base/text.h"

namespace inquest::ingest {

// FNV-1a (Fowler, Noll, Vo).
uint64_t HashWithoutNumbers(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  bool in_number = false;
  for (const char c : text) {
    const bool digit = IsDigit(c);
    if (digit && in_number) continue;
    in_number = digit;
    hash ^= digit ? '0' : static_cast<unsigned char>(c);
    hash *= 0x100000001b3;
  }
  return hash;
}

bool Repeats::IsRepeat(std::string_view line) {
  const uint64_t hash = HashWithoutNumbers(line);
  last_ = hash & (kSlots - 1);
  Slot& slot = slots_[last_];
  if (slot.hash != hash) slot = {hash, 0, 0, false};
  ++slot.count;
  if (slot.count <= most_ || !slot.error || at_end_) return false;
  const bool first = slot.stretch != stretch_;
  slot.stretch = stretch_;
  return !first;
}

}  // namespace inquest::ingest
