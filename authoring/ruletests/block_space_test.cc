// SPDX-License-Identifier: Apache-2.0
// The allocator of made-up devices against one that looks at every unit.
#include "authoring/ruletests/block_space.h"

#include <optional>
#include <random>
#include <vector>

#include "tests/catch_compat.h"

namespace inquest::ruletests {
namespace {

constexpr int64_t kUnit = 512;
constexpr int64_t kUnitsInChunk = (2 << 20) / kUnit;

class NaiveSpace {
 public:
  explicit NaiveSpace(int64_t bytes)
      : used_(static_cast<size_t>(bytes / kUnit), false) {}

  std::optional<size_t> Allocate(int64_t bytes) {
    const auto units = static_cast<size_t>((bytes + kUnit - 1) / kUnit);
    size_t run = 0;
    for (size_t i = 0; i < used_.size(); ++i) {
      run = used_[i] ? 0 : run + 1;
      if (run < units) continue;
      Set(i + 1 - units, units, true);
      return i + 1 - units;
    }
    return {};
  }
  void Set(size_t first, size_t units, bool used) {
    for (size_t i = first; i < first + units; ++i) used_[i] = used;
  }
  int64_t FreeBytes() const {
    int64_t free = 0;
    for (size_t at = 0; at < used_.size(); at += kUnitsInChunk) {
      bool any = false;
      for (size_t i = at; i < at + kUnitsInChunk; ++i) any = any || used_[i];
      if (!any) free += kUnitsInChunk * kUnit;
    }
    return free;
  }

 private:
  std::vector<bool> used_;
};

TEST_CASE("first fit as one that looks at every unit finds it") {
  constexpr int64_t kBytes = 32 << 20;
  for (unsigned seed = 0; seed < unsigned{Rounds(20)}; ++seed) {
    BlockSpace space(kBytes);
    NaiveSpace naive(kBytes);
    struct Block {
      uint64_t address;
      size_t first;
      size_t units;
    };
    std::vector<Block> blocks;
    std::optional<uint64_t> base;
    std::mt19937 random(seed);
    for (int i = 0; i < 300; ++i) {
      if (!blocks.empty() && random() % 3 == 0) {
        const size_t at = random() % blocks.size();
        space.Free(blocks[at].address);
        naive.Set(blocks[at].first, blocks[at].units, false);
        blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(at));
      } else {
        const int64_t bytes = 1 + static_cast<int64_t>(random() % (4u << 20));
        const auto address = space.Allocate(bytes);
        const auto first = naive.Allocate(bytes);
        REQUIRE(address.has_value() == first.has_value());
        if (!address) continue;
        if (!base) base = *address;
        REQUIRE(*address - *base == *first * kUnit);
        blocks.push_back({*address, *first,
                          static_cast<size_t>((bytes + kUnit - 1) / kUnit)});
      }
      REQUIRE(space.FreeBytes() == naive.FreeBytes());
    }
  }
}

TEST_CASE("what was never handed out is not freed") {
  BlockSpace space(4 << 20);
  space.Free(12345);
  CHECK(space.FreeBytes() == 4 << 20);
  CHECK_FALSE(space.Allocate(5 << 20).has_value());
  CHECK_FALSE(BlockSpace(-1).Allocate(1).has_value());
}

}  // namespace
}  // namespace inquest::ruletests
