// SPDX-License-Identifier: Apache-2.0
// What memory was for over time, for pictures: follows the replay of a process
// and divides what each device and each pool held by the categories of
// peaks/categories.h. A block is put into one by its code and by how long it
// lived, as at the peak; lasting ones by what the peak says of that block, or
// of all those of its stack and size. Of others it is not told.
//
// Bytes, and nanoseconds since 1970. Memory is bounded: bins of time, and
// kMaxLasting blocks.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyzer/memory/peaks/code_places.h"
#include "analyzer/memory/replay/block_follower.h"
#include "analyzer/memory/timeline/category_line.h"
#include "analyzer/memory/timeline/event_bins.h"
#include "trace/store/ledger.h"

namespace inquest::memory {

class CategoryKeeper : public BlockFollower {
 public:
  struct Layer {
    int device = 0;
    bool of_pool = false;
    auto operator<=>(const Layer&) const = default;
  };

  // `offset` of the clock; `before`: blocks up to this event are older than
  // the record.
  CategoryKeeper(CodePlaces* places, int64_t offset, int64_t before)
      : places_(places), offset_(offset), before_(before) {}

  // Around the replay of each event.
  void Before(const trace::MemoryEvent& event);
  void After(const trace::MemoryEvent& event,
             const std::map<int, trace::DeviceState>& devices);
  void OnFree(const trace::Place& place, const trace::Block& block,
              int64_t time) override;
  void OnRestore(const trace::Place& place, const trace::Block& block) override;
  // A step ended after the last event. Without a call, none is known.
  void EndStep() {
    step_before_ = step_end_;
    step_end_ = event_;
  }
  void SetUsualStep(int64_t nanoseconds) { usual_step_ = nanoseconds; }
  // What a block that was live at the peak is for. After the replay.
  void Tell(const Layer& layer, uint64_t address, const trace::Block& block,
            const std::string& category, bool lasts);
  // Call once, at last. By device: of its pool if that has blocks.
  std::map<int, CategoryLine> Finish(
      const std::map<int, trace::DeviceState>& devices);

 private:
  enum class Life { kLasting, kTransient, kStep, kUnknown };
  struct Lasting {
    uint64_t address = 0;
    int64_t bytes = 0, stack = 0, made = 0, freed = 0;
  };
  struct Freed {
    Layer layer;
    uint64_t address = 0;
    trace::Block block;
    Life life = Life::kUnknown;
  };
  struct Of {
    EventBins bins;
    std::map<std::string, size_t> by_name;
    std::map<std::pair<int64_t, Life>, size_t> by_size;  // of backward passes
    std::unordered_map<int64_t, std::array<int, 4>> by_stack;  // and life
    size_t groups = 0;
    std::vector<Lasting> lasting;
    std::map<std::pair<uint64_t, int64_t>, std::string> told;  // address, event
    std::map<std::pair<int64_t, int64_t>, std::string> alike;  // stack, size
    std::set<int64_t> lasting_sizes;
  };

  Life LifeOf(const trace::Block& block, std::optional<int64_t> freed) const;
  std::string NameOf(const CodePlace& place, Life life) const;
  size_t GroupOf(Of* of, const trace::Block& block, Life life);
  static size_t Named(Of* of, const std::string& name);
  void Flush();
  void AddLive(Of* of, const trace::Heap& heap);
  std::string CategoryOf(const Of& of, const Lasting& one);
  std::map<std::string, std::vector<size_t>> GroupsByName(const Of& of) const;
  CategoryLine LineOf(const Of& of) const;

  CodePlaces* places_;
  int64_t offset_, before_;
  int64_t event_ = 0, step_end_ = -1, step_before_ = -1, usual_step_ = 0;
  std::map<Layer, Of> layers_;
  std::vector<Freed> freed_;  // in the last event: a failed free comes back
};

}  // namespace inquest::memory
