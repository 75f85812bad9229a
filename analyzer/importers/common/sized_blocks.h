// SPDX-License-Identifier: Apache-2.0
// Blocks whose sizes a file gives, but not (always) their addresses. Assigns
// each a unique place, so that replay works, and matches a free with the most
// recent live block of that size. A free without a match means that the block
// was live before the file begins. Places are above all device addresses. One
// thread; memory is that of the live blocks.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace inquest::importers {

struct PlacedBlock {
  uint64_t address = 0;
  int64_t bytes = 0;
  uint32_t stack = 0;
};

class SizedBlocks {
 public:
  // Larger than any device; more is not a valid size.
  static constexpr int64_t kMaxBytes = int64_t{1} << 46;

  // The place of a new block: `address` or, if the file has none, a unique one.
  // A free matches only blocks of the same `tag`.
  uint64_t Add(int64_t bytes, std::optional<int64_t> address, int64_t tag = 0);
  // The place of the freed block.
  uint64_t Remove(int64_t bytes, std::optional<int64_t> address,
                  int64_t tag = 0);
  // A block that was live before and has not been freed yet.
  void AddBefore(int64_t bytes, int64_t tag = 0, uint32_t stack = 0);
  // Changes the tag of the last block of that size.
  void Move(int64_t bytes, int64_t from, int64_t to);

  const std::vector<PlacedBlock>& before() const { return before_; }
  int64_t before_bytes() const { return before_bytes_; }

 private:
  using Kind = std::pair<int64_t, int64_t>;  // bytes, tag
  uint64_t NewPlace(int64_t bytes);
  uint64_t CountAsBefore(uint64_t place, int64_t bytes);

  uint64_t next_ = uint64_t{1} << 60;
  std::map<Kind, std::vector<uint64_t>> unplaced_;  // live, without address
  std::unordered_map<uint64_t, int64_t> placed_;    // live, by address
  std::vector<PlacedBlock> before_;
  std::unordered_set<uint64_t> before_places_;
  int64_t before_bytes_ = 0;
};

}  // namespace inquest::importers
