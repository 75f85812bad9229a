// SPDX-License-Identifier: Apache-2.0
// Compares the replay with a model that does the same in the simplest way:
// lists that are searched from end to end, sums computed again each time, the
// live set copied at each peak. Streams are random and contain impossible
// events; each state is compared. INQUEST_REPLAY_EVENTS sets their length.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "analyzer/memory/replay/replay.h"
#include "tests/catch_compat.h"
#include "trace/records/event.h"

namespace inquest::memory {
namespace {

using trace::MemoryKind;
using trace::MemoryOp;

constexpr int kDevices = 2;

struct Live {
  uint64_t address;
  int64_t bytes;
  int64_t event;
  int kind;
  uint64_t context;
  uint64_t end() const { return address + uint64_t(bytes); }
  bool operator==(const Live&) const = default;
};

using LiveSet = std::vector<Live>;

int64_t Sum(const LiveSet& blocks) {
  int64_t sum = 0;
  for (const Live& one : blocks) sum += one.bytes;
  return sum;
}

// The kinds used here: 1 device and 10 segment, 5 physical and 6 array, 9
// framework.
int LayerOf(int kind) {
  return kind == 9 ? 2 : kind == 5 || kind == 6 ? 1 : 0;
}

class Naive {
 public:
  void Add(const MemoryEvent& event) {
    const auto op = static_cast<MemoryOp>(event.op);
    if (op == MemoryOp::kAlloc && event.result == 0) Allocate(event);
    if (op == MemoryOp::kAlloc && event.result != 0) ++refused;
    if (op == MemoryOp::kFree) Free(event);
    if (op == MemoryOp::kFreeFailed) TakeBack(event);
    if (op == MemoryOp::kContextDestroy) Destroy(event);
    if (op == MemoryOp::kRetain) Retain(event.address);
    if (op == MemoryOp::kMap) Map(event);
    if (op == MemoryOp::kUnmap) Unmap(event);
    for (int device = 0; device < kDevices; ++device) LookForPeak(device, op);
  }

  LiveSet live[kDevices][3];
  int64_t peak[kDevices][2] = {};
  LiveSet at_peak[kDevices][2];
  int64_t unknown = 0, twice = 0, overlaps = 0, refused = 0;

 private:
  void Allocate(const MemoryEvent& event) {
    LiveSet& set = live[event.device][LayerOf(event.kind)];
    const Live made{event.address, event.bytes, event.id, event.kind,
                    event.context};
    std::erase_if(set, [&](const Live& one) {
      const bool over =
          LayerOf(event.kind) == 1  // the number is a handle
              ? one.address == made.address
              : one.address < made.end() && made.address < one.end();
      if (over) {
        ++overlaps;
        was_freed_.insert({event.device, LayerOf(event.kind), one.address});
      }
      return over;
    });
    set.push_back(made);
  }

  void Free(const MemoryEvent& event) {
    const int layer = LayerOf(event.kind);
    last_ = {};
    if (event.kind == 5) {
      const auto held = std::find(holds_.begin(), holds_.end(), event.address);
      if (held != holds_.end()) {
        holds_.erase(held);
        last_ = {event, {}, true};
        return;
      }
    }
    Remove(event.device, layer, event.address, event);
  }

  void Remove(int device, int layer, uint64_t address,
              const MemoryEvent& event) {
    LiveSet& set = live[device][layer];
    const auto found =
        std::find_if(set.begin(), set.end(),
                     [&](const Live& one) { return one.address == address; });
    if (found == set.end()) {
      ++(was_freed_.contains({device, layer, address}) ? twice : unknown);
      return;
    }
    last_ = {event, *found, false};
    last_.event.address = address;
    last_.event.device = device;
    set.erase(found);
    was_freed_.insert({device, layer, address});
  }

  void TakeBack(const MemoryEvent& event) {
    if (event.address != last_.event.address || last_.event.id == 0) return;
    if (last_.hold) {
      holds_.push_back(event.address);
    } else {
      LiveSet& set = live[last_.event.device][LayerOf(last_.block.kind)];
      set.push_back(last_.block);
    }
    last_ = {};
  }

  void Destroy(const MemoryEvent& event) {
    for (const int layer : {0, 1}) {
      std::erase_if(live[event.device][layer], [&](const Live& one) {
        if (one.context != event.context) return false;
        was_freed_.insert({event.device, layer, one.address});
        return true;
      });
    }
  }

  int Holder(uint64_t handle) {
    for (int device = 0; device < kDevices; ++device) {
      for (const Live& one : live[device][1]) {
        if (one.address == handle && one.kind == 5) return device;
      }
    }
    return -1;
  }
  void Retain(uint64_t handle) {
    if (Holder(handle) >= 0) holds_.push_back(handle);
  }
  void Map(const MemoryEvent& event) {
    if (Holder(event.mapped) < 0) return;
    MemoryEvent before = event;
    before.bytes = 1;
    Unmap(before);
    mapped_.push_back({event.address, event.mapped});
    holds_.push_back(event.mapped);
  }
  void Unmap(const MemoryEvent& event) {
    std::vector<std::pair<uint64_t, uint64_t>> gone;
    std::erase_if(mapped_, [&](const auto& one) {
      const bool in = one.first >= event.address &&
                      one.first < event.address + uint64_t(event.bytes);
      if (in) gone.push_back(one);
      return in;
    });
    std::sort(gone.begin(), gone.end());
    for (const auto& [address, handle] : gone) {
      const auto held = std::find(holds_.begin(), holds_.end(), handle);
      if (held != holds_.end()) {
        holds_.erase(held);
      } else if (Holder(handle) >= 0) {
        Remove(Holder(handle), 1, handle, event);
      }
    }
  }

  void LookForPeak(int device, MemoryOp op) {
    if (op != MemoryOp::kAlloc) return;
    LiveSet both = live[device][0];
    both.insert(both.end(), live[device][1].begin(), live[device][1].end());
    for (const auto& [pool, set] :
         {std::pair{0, both}, std::pair{1, live[device][2]}}) {
      if (Sum(set) <= peak[device][pool]) continue;
      peak[device][pool] = Sum(set);
      at_peak[device][pool] = set;
    }
  }

  struct Last {
    MemoryEvent event;
    Live block{};
    bool hold = false;
  };
  Last last_;
  std::vector<uint64_t> holds_;  // handles, one for each beyond the first
  std::vector<std::pair<uint64_t, uint64_t>> mapped_;
  std::set<std::tuple<int, int, uint64_t>> was_freed_;
};

class Stream {
 public:
  explicit Stream(uint64_t seed) : random_(seed) {}

  MemoryEvent Next() {
    MemoryEvent event;
    event.id = ++id_;
    event.time = id_ * 10;
    event.device = Below(kDevices);
    event.context = 1 + uint64_t(Below(2));
    event.stack = Below(20);
    const int dice = Below(1000);
    if (dice < 2) return As(event, MemoryOp::kContextDestroy, 0);
    if (dice < 20) return Refused(event);
    if (dice < 90) return Virtual(event);
    if (dice < 110 && freed_.address != 0) return FreeFailed(event);
    if (dice < 560 || made_.empty()) return Allocation(event);
    return Freeing(event);
  }

 private:
  int Below(int end) { return int(random_() % uint64_t(end)); }
  static MemoryEvent As(MemoryEvent event, MemoryOp op, int kind) {
    event.op = int(op);
    event.kind = kind;
    return event;
  }
  MemoryEvent Allocation(MemoryEvent event) {
    static constexpr int kKinds[] = {1, 1, 1, 10, 5, 5, 6, 9, 9, 9};
    event.address = 0x7f0000000000 + uint64_t(Below(4000)) * 512;
    event.bytes = 512 * (1 + Below(6));
    freed_ = {};
    event = As(event, MemoryOp::kAlloc, kKinds[Below(std::size(kKinds))]);
    made_.push_back(event);
    if (made_.size() > 300) made_.erase(made_.begin());
    return event;
  }
  MemoryEvent Freeing(MemoryEvent event) {
    const MemoryEvent& made = made_[size_t(Below(int(made_.size())))];
    event.address = made.address;
    event.device = made.device;
    if (Below(40) == 0) event.address += 8;
    freed_ = event = As(event, MemoryOp::kFree, made.kind);
    return event;
  }
  MemoryEvent FreeFailed(MemoryEvent event) {
    event.address = freed_.address;
    event.device = freed_.device;
    event.result = 700;
    const int kind = freed_.kind;
    freed_ = {};
    return As(event, MemoryOp::kFreeFailed, kind);
  }
  MemoryEvent Refused(MemoryEvent event) {
    event.bytes = 512 * (1 + Below(20));
    event.result = 2;
    return As(event, MemoryOp::kAlloc, 1);
  }
  MemoryEvent Virtual(MemoryEvent event) {
    freed_ = {};
    event.address = 0x600000000000 + uint64_t(Below(40)) * 1024;
    event.bytes = 1024;
    if (Below(2) == 0) {
      event.bytes *= 1 + Below(3);
      return As(event, MemoryOp::kUnmap, 5);
    }
    for (const MemoryEvent& made : made_) {
      if (made.kind == 5 && Below(4) == 0) event.mapped = made.address;
    }
    if (Below(4) != 0) return As(event, MemoryOp::kMap, 5);
    event.address = event.mapped;
    return As(event, MemoryOp::kRetain, 5);
  }

  std::mt19937_64 random_;
  int64_t id_ = 0;
  std::vector<MemoryEvent> made_;
  MemoryEvent freed_;
};

LiveSet BlocksOf(const Heap& heap) {
  LiveSet blocks;
  heap.blocks().Visit([&](uint64_t address, const Block& block) {
    blocks.push_back(
        {address, block.bytes, block.event, block.kind, block.context});
  });
  return blocks;
}

LiveSet Sorted(LiveSet blocks) {
  std::sort(blocks.begin(), blocks.end(), [](const Live& a, const Live& b) {
    return std::pair(a.address, a.event) < std::pair(b.address, b.event);
  });
  return blocks;
}

void CompareAll(const Replay& replay, const Naive& naive) {
  for (const auto& [device, state] : replay.devices()) {
    for (int layer = 0; layer < 3; ++layer) {
      REQUIRE(BlocksOf(state.layer(static_cast<trace::Layer>(layer))) ==
              Sorted(naive.live[device][layer]));
    }
  }
}

void ComparePeaks(const Replay& replay, const Naive& naive) {
  for (int device = 0; device < kDevices; ++device) {
    for (const int pool : {0, 1}) {
      LiveSet blocks;
      for (const PeakBlock& one : replay.PeakBlocks(device, pool == 1)) {
        blocks.push_back({one.address, one.block.bytes, one.block.event,
                          one.block.kind, one.block.context});
      }
      REQUIRE(replay.PeakOf(device, pool == 1)->bytes() ==
              naive.peak[device][pool]);
      const LiveSet wanted = Sorted(naive.at_peak[device][pool]);
      const LiveSet found = Sorted(blocks);
      for (size_t i = 0; i < std::min(wanted.size(), found.size()); ++i) {
        INFO(found[i].address << " of event " << found[i].event << ", not "
                              << wanted[i].address << " of "
                              << wanted[i].event);
        REQUIRE(found[i] == wanted[i]);
      }
      REQUIRE(found.size() == wanted.size());
    }
  }
}

void CompareFaults(const Replay& replay, const Naive& naive) {
  int64_t counts[3] = {};
  for (const auto& [key, fault] : replay.faults().all()) {
    counts[int(std::get<FaultKind>(key))] += fault.count;
  }
  const int64_t twice = counts[int(FaultKind::kDoubleFree)];
  CHECK(twice + counts[int(FaultKind::kUnknownFree)] ==
        naive.twice + naive.unknown);
  // It remembers only as many frees as its table holds.
  CHECK(twice <= naive.twice);
  CHECK(twice >= naive.twice * 95 / 100);
  CHECK(counts[int(FaultKind::kOverlap)] == naive.overlaps);
  CHECK(naive.twice + naive.unknown > 0);
}

TEST_CASE("a replay agrees with a naive one after every event") {
  const char* wanted = getenv("INQUEST_REPLAY_EVENTS");
  const int64_t events =
      wanted != nullptr ? std::atoll(wanted) : int64_t(Rounds(20'000));
  for (const uint64_t seed : {1u, 2u, 3u}) {
    INFO("seed " << seed);
    SiteTable sites([](int64_t) { return std::vector<Frame>(); });
    Replay replay(&sites);
    Naive naive;
    Stream stream(seed);
    for (int64_t i = 0; i < events; ++i) {
      const MemoryEvent event = stream.Next();
      replay.Add(event);
      naive.Add(event);
      for (const auto& [device, state] : replay.devices()) {
        REQUIRE(state.device.live_bytes() == Sum(naive.live[device][0]));
        REQUIRE(state.handles.live_bytes() == Sum(naive.live[device][1]));
        REQUIRE(state.framework.live_bytes() == Sum(naive.live[device][2]));
      }
      if (i % 64 == 0) CompareAll(replay, naive);
      if (i % 512 == 511) ComparePeaks(replay, naive);
    }
    CompareAll(replay, naive);
    CompareFaults(replay, naive);
    CHECK(int64_t(replay.refusals().size()) ==
          std::min<int64_t>(naive.refused, 10000));
  }
}

}  // namespace
}  // namespace inquest::memory
