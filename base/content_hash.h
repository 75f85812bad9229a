// SPDX-License-Identifier: Apache-2.0
// A name for a content: equal contents have the same, others practically never.
// For runs, rule packs and results that are stored under it, so that storing
// them again changes nothing. 128 bits of XXH3: quick, and no protection from
// someone who wants two contents to collide. One thread each.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct XXH3_state_s;

namespace inquest {

class ContentHash {
 public:
  ContentHash();

  // Each part counts with its length, so "ab", "c" is not "a", "bc".
  ContentHash& Add(std::string_view part);
  ContentHash& Add(int64_t number) { return Add(std::to_string(number)); }
  // 32 hexadecimal digits of all parts so far.
  std::string Hex() const;

 private:
  struct Freer {
    void operator()(XXH3_state_s* state) const;
  };
  std::unique_ptr<XXH3_state_s, Freer> state_;
};

}  // namespace inquest
