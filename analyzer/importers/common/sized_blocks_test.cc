// SPDX-License-Identifier: Apache-2.0
// Random allocations and frees without addresses, compared by sums.
#include "analyzer/importers/common/sized_blocks.h"

#include <map>
#include <random>

#include "tests/catch_compat.h"

namespace inquest::importers {
namespace {

TEST_CASE("places are distinct, and frees find blocks of their size") {
  std::mt19937 dice(2);
  SizedBlocks blocks;
  std::map<uint64_t, int64_t> live;    // by place
  std::map<int64_t, int64_t> by_size;  // how many are live
  std::map<int64_t, int64_t> before;   // how many frees matched no block
  for (int i = 0; i < 20'000; ++i) {
    const int64_t bytes = 512 * static_cast<int64_t>(dice() % 20 + 1);
    if (dice() % 2 == 0) {
      const uint64_t place = blocks.Add(bytes, {});
      const auto next = live.lower_bound(place);
      REQUIRE((next == live.end() ||
               next->first >= place + static_cast<uint64_t>(bytes)));
      live[place] = bytes;
      ++by_size[bytes];
      continue;
    }
    const uint64_t place = blocks.Remove(bytes, {});
    const auto found = live.find(place);
    if (by_size[bytes] > 0) {
      REQUIRE(found != live.end());
      REQUIRE(found->second == bytes);
      live.erase(found);
      --by_size[bytes];
    } else {
      REQUIRE(found == live.end());
      ++before[bytes];
    }
  }
  int64_t bytes = 0, count = 0;
  for (const auto& [size, number] : before) {
    bytes += size * number;
    count += number;
  }
  CHECK(blocks.before_bytes() == bytes);
  CHECK(static_cast<int64_t>(blocks.before().size()) == count);
}

TEST_CASE("a freed address that was not allocated was live before, once") {
  SizedBlocks blocks;
  CHECK(blocks.Add(64, 0x1000) == 0x1000);
  CHECK(blocks.Remove(64, 0x1000) == 0x1000);
  CHECK(blocks.before().empty());
  blocks.Remove(32, 0x2000);
  blocks.Remove(32, 0x2000);
  CHECK(blocks.before_bytes() == 32);
  CHECK(blocks.before().size() == 1);
}

TEST_CASE("a changed tag applies from then on") {
  SizedBlocks blocks;
  const uint64_t place = blocks.Add(512, {}, 7);
  blocks.Move(512, 7, 4);
  CHECK(blocks.Remove(512, {}, 7) != place);
  CHECK(blocks.Remove(512, {}, 4) == place);
  blocks.AddBefore(100, 3);
  blocks.Remove(100, {}, 3);
  CHECK(blocks.before_bytes() == 612);
}

}  // namespace
}  // namespace inquest::importers
