// SPDX-License-Identifier: Apache-2.0
#include "base/content_hash.h"

#include <xxhash.h>

#include <cstdio>

namespace inquest {

void ContentHash::Freer::operator()(XXH3_state_s* state) const {
  XXH3_freeState(state);
}

ContentHash::ContentHash() : state_(XXH3_createState()) {
  XXH3_128bits_reset(state_.get());
}

ContentHash& ContentHash::Add(std::string_view part) {
  const uint64_t size = part.size();
  XXH3_128bits_update(state_.get(), &size, sizeof size);
  XXH3_128bits_update(state_.get(), part.data(), part.size());
  return *this;
}

std::string ContentHash::Hex() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(state_.get());
  char text[33];
  std::snprintf(text, sizeof text, "%016llx%016llx",
                static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64));
  return text;
}

}  // namespace inquest
