// SPDX-License-Identifier: Apache-2.0
#include "analyzer/whatif/history/block_uses.h"

#include <algorithm>
#include <map>
#include <unordered_set>

#include "analyzer/memory/peaks/categories.h"

namespace inquest::whatif {
namespace {

constexpr int64_t kSmall = 1 << 20;
// Of what a step allocates, this much is held at once where a graph is kept.
// Of nine snapshots, training steps had 0.11 to 0.15, forward passes 0.02.
constexpr double kKeepsGraph = 0.05;
constexpr double kCastWeights = 0.8;  // the rest are embeddings and the like

struct Peak {
  int64_t bytes = 0;
  uint32_t block = 0;  // the last one made before it
  size_t request = 0;
};

using PlaceOfSite = std::function<std::string(uint32_t site)>;

class Uses {
 public:
  Uses(const std::vector<uint32_t>& step_of, const PlaceOfSite& place_of,
       History* history)
      : step_of_(step_of),
        place_of_(place_of),
        history_(*history),
        bytes_(step_of.size(), 0) {
    for (const Request& one : history_.before) bytes_[one.block] = one.bytes;
    for (const Request& one : history_.requests) {
      if (one.op == Op::kAllocate) bytes_[one.block] = one.bytes;
    }
    for (size_t i = 0; i < bytes_.size(); ++i) {
      if (history_.persistent[i]) lasting_.insert(bytes_[i]);
    }
  }

  BlockUses Find() {
    uses_.keeps_graph = KeepsGraph();
    FindPeaks();
    MarkOlder();
    if (uses_.keeps_graph) MarkLasting();
    MarkCopies();
    MeasurePeak();
    CountCopies();
    return uses_;
  }

 private:
  using Copies = std::map<int64_t, std::vector<uint32_t>>;  // by weights' size

  // Calls `visit(request, index, made)` for what is made and what is freed.
  template <typename Visit>
  void ForEach(Visit visit) const {
    for (size_t i = 0; i < history_.requests.size(); ++i) {
      const Request& one = history_.requests[i];
      if (one.op == Op::kAllocate) visit(one, i, true);
      if (one.op == Op::kFree) visit(one, i, false);
    }
  }

  bool KeepsGraph() const {
    std::vector<bool> live(bytes_.size(), false);
    std::map<uint32_t, std::pair<int64_t, int64_t>> steps;  // peak, allocated
    int64_t held = 0;
    ForEach([&](const Request& one, size_t, bool made) {
      if (history_.persistent[one.block] || live[one.block] == made) return;
      live[one.block] = made;
      held += made ? one.bytes : -bytes_[one.block];
      auto& [peak, allocated] = steps[step_of_[one.block]];
      if (made) allocated += one.bytes;
      peak = std::max(peak, held);
    });
    return std::any_of(steps.begin(), steps.end(), [](const auto& one) {
      const auto [peak, allocated] = one.second;
      return static_cast<double>(peak) >=
             kKeepsGraph * static_cast<double>(allocated);
    });
  }

  // By step: the most that is held of blocks that are certainly no gradients.
  void FindPeaks() {
    std::vector<bool> live(bytes_.size(), false);
    int64_t held = 0;
    ForEach([&](const Request& one, size_t index, bool made) {
      const uint32_t block = one.block;
      if (history_.persistent[block] || lasting_.contains(bytes_[block]) ||
          live[block] == made) {
        return;
      }
      live[block] = made;
      held += made ? one.bytes : -bytes_[block];
      Peak& peak = peaks_[step_of_[block]];
      if (held > peak.bytes) peak = {held, block, index};
    });
  }

  // What is older than the record and outlives the first peak lasts, though an
  // optimizer may replace it later in that step.
  void MarkOlder() {
    const auto first = peaks_.find(0);
    if (first == peaks_.end()) return;
    ForEach([&](const Request& one, size_t index, bool made) {
      if (!made && one.block < history_.before.size() &&
          index > first->second.request) {
        history_.persistent[one.block] = true;
        lasting_.insert(bytes_[one.block]);
      }
    });
  }

  void MarkLasting() {
    std::unordered_set<int64_t> rounded;
    for (const int64_t bytes : lasting_) {
      rounded.insert(history_.settings.RoundSize(bytes));
    }
    for (const Request& one : history_.requests) {
      const bool refused =
          one.op == Op::kRefused || one.op == Op::kRefusedInPassing;
      if (!refused && one.op != Op::kAllocate) continue;
      // PyTorch tells the size of a refused request rounded up.
      const bool fits = lasting_.contains(one.bytes) ||
                        (refused && rounded.contains(one.bytes));
      const auto peak = peaks_.find(step_of_[one.block]);
      if (fits && peak != peaks_.end() && one.block > peak->second.block) {
        history_.persistent[one.block] = true;
      }
    }
  }

  // Autocast copies a weight where it is used, so the same code allocates more
  // right after it: the input's copy and the output.
  void MarkCopies() {
    std::map<int64_t, int64_t> lasting;  // bytes, by size
    for (size_t i = 0; i < bytes_.size(); ++i) {
      if (history_.persistent[i]) lasting[bytes_[i]] += bytes_[i];
    }
    std::map<std::string, Copies> by_place;
    const Request* last = nullptr;
    for (const Request& one : history_.requests) {
      if (one.op != Op::kAllocate) continue;
      const std::string& place = PlaceOf(one.block);
      if (last != nullptr && !place.empty() &&
          !history_.persistent[last->block] && PlaceOf(last->block) == place &&
          lasting.contains(2 * last->bytes)) {
        by_place[place][2 * last->bytes].push_back(last->block);
      }
      last = &one;
    }
    for (const auto& [place, copies] : by_place) {
      if (!AreOfWeights(copies, lasting)) continue;
      uses_.mixed = true;
      for (const auto& [size, blocks] : copies) {
        for (const uint32_t one : blocks) {
          history_.persistent[one] = true;
          cast_.insert(one);
        }
      }
    }
  }

  static bool AreOfWeights(const Copies& copies,
                           const std::map<int64_t, int64_t>& lasting) {
    double all = 0, copied = 0;
    int sizes = 0;
    for (const auto& [size, bytes] : lasting) {
      if (size < kSmall) continue;
      all += static_cast<double>(bytes);
      if (!copies.contains(size)) continue;
      copied += static_cast<double>(bytes);
      ++sizes;
    }
    return sizes > 1 && copied >= kCastWeights * all;
  }

  const std::string& PlaceOf(uint32_t block) {
    const uint32_t site = history_.sites[block];
    const auto known = places_.find(site);
    if (known != places_.end()) return known->second;
    return places_.emplace(site, place_of_(site)).first->second;
  }

  // The most that grows with the batch, and what lasts at that moment.
  void MeasurePeak() {
    std::vector<bool> live(bytes_.size(), false);
    std::map<int64_t, int64_t> now;  // lasting blocks, by size
    int64_t growing = 0;
    for (const Request& one : history_.before) Count(one.block, 1, &now);
    for (const Request& one : history_.before) live[one.block] = true;
    for (const Request& one : history_.requests) {
      if (one.op != Op::kAllocate && one.op != Op::kFree) continue;
      const bool made = one.op == Op::kAllocate;
      if (live[one.block] == made) continue;
      live[one.block] = made;
      if (history_.persistent[one.block]) {
        Count(one.block, made ? 1 : -1, &now);
        continue;
      }
      growing += made ? one.bytes : -bytes_[one.block];
      if (growing <= uses_.growing_peak) continue;
      uses_.growing_peak = growing;
      // Copied rarely: a step's peak is reached in a few large allocations.
      if (growing > noted_ + noted_ / 64) {
        noted_ = growing;
        at_peak_ = now;
      }
    }
  }

  void Count(uint32_t block, int64_t change, std::map<int64_t, int64_t>* now) {
    if (!history_.persistent[block] || cast_.contains(block)) return;
    (*now)[bytes_[block]] += change;
  }

  void CountCopies() {
    int64_t bytes = 0;
    for (const auto& [size, count] : at_peak_) bytes += size * count;
    uses_.lasting = bytes;
    if (uses_.keeps_graph) uses_.copies = memory::CopiesOfWeights(at_peak_);
    uses_.weights = bytes / uses_.copies;
  }

  const std::vector<uint32_t>& step_of_;
  const PlaceOfSite& place_of_;
  History& history_;
  std::vector<int64_t> bytes_;           // by block
  std::unordered_set<int64_t> lasting_;  // sizes
  std::map<uint32_t, Peak> peaks_;       // by step
  std::map<int64_t, int64_t> at_peak_;   // lasting blocks, by size
  int64_t noted_ = 0;
  std::map<uint32_t, std::string> places_;  // by site
  std::unordered_set<uint32_t> cast_;       // blocks that are copies of weights
  BlockUses uses_;
};

}  // namespace

BlockUses FindBlockUses(const std::vector<uint32_t>& step_of,
                        const PlaceOfSite& place_of, History* history) {
  return Uses(step_of, place_of, history).Find();
}

}  // namespace inquest::whatif
