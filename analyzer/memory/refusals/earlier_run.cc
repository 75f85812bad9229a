// SPDX-License-Identifier: Apache-2.0
#include "analyzer/memory/refusals/earlier_run.h"

#include <algorithm>
#include <set>
#include <utility>

#include "analyzer/memory/refusals/former_blocks.h"
#include "base/capped.h"

namespace inquest::memory {
namespace {

constexpr double kWork = 50;       // memory events between two runs, at least
constexpr double kRepeated = 0.9;  // of the later run's bytes
constexpr int64_t kMaxRuns = 8;    // more are the leak detector's
constexpr double kPauses = 4;      // within a run are so many times shorter
constexpr size_t kMaxSplits = 32;  // looked at, those after most work

class Search {
 public:
  Search(HeldAtRefusal held, const std::vector<Site>& sites)
      : sites_(sites), in_step_(held.in_step) {
    stacks_ = std::move(held.stacks);
    blocks_ = std::move(held.blocks);
    blocks_.push_back(held.refused);
    std::erase_if(blocks_, [this](const HeldBlock& one) {
      return (IsOlder(one) && one.stack == 0) || !IsMadeOnce(one);
    });
    std::stable_sort(
        blocks_.begin(), blocks_.end(),
        [](const auto& a, const auto& b) { return a.event < b.event; });
    for (const HeldBlock& one : blocks_) {
      moments_.push_back(held.events_before(one.event));
    }
    origins_ = OriginsOf(blocks_, sites_, held.all_frames);
    splits_ = LikelySplits();
  }

  // The latest run begins where nothing of it can be split off any more: the
  // third of three trials repeats the second as the second did the first.
  std::optional<EarlierRun> Find() {
    size_t begin = 0;
    size_t first = blocks_.size();
    std::optional<EarlierRun> found;
    while (const auto split = NextSplit(begin, &first)) {
      begin = *split;
      found = Describe(first, begin);
    }
    return found;
  }

 private:
  struct Match {
    int64_t repeated = 0, repeated_sizes = 0, all = 0;  // bytes
    size_t first = 0;               // of the repeated blocks before the split
    size_t earlier = 0, later = 0;  // the largest pair
  };

  size_t Maker(size_t block) const { return origins_[block].maker; }

  // Than the record.
  static bool IsOlder(const HeldBlock& one) { return one.event == 0; }

  // What happened before the record is unknown, and does not count.
  double Work(size_t at) const { return moments_[at] - moments_[at - 1]; }

  // After work, and at code that had allocated before. Ascending.
  std::vector<size_t> LikelySplits() const {
    std::set<size_t> before;
    std::vector<size_t> splits;
    for (size_t at = 0; at < blocks_.size(); ++at) {
      const bool known = !before.insert(Maker(at)).second;
      if (known && Work(at) > kWork) splits.push_back(at);
    }
    if (splits.size() > kMaxSplits) {
      std::nth_element(
          splits.begin(), splits.begin() + kMaxSplits, splits.end(),
          [this](size_t a, size_t b) { return Work(a) > Work(b); });
      splits.resize(kMaxSplits);
      std::sort(splits.begin(), splits.end());
    }
    return splits;
  }

  // The first split after `begin` behind which nearly all repeats what is
  // before it.
  std::optional<size_t> NextSplit(size_t begin, size_t* first) {
    for (const size_t at : splits_) {
      if (at <= begin) continue;
      const Match match = Compare(begin, at);
      if (!IsRepetition(match, at)) continue;
      *first = std::min(*first, match.first);
      match_ = match;
      return at;
    }
    return {};
  }

  Match Compare(size_t begin, size_t split) const {
    FormerBlocks former(blocks_, origins_, begin, split);
    Match match;
    match.first = split;
    int64_t largest = -1;
    for (size_t i = split; i < blocks_.size(); ++i) {
      const int64_t bytes = blocks_[i].bytes;
      match.all = AddCapped(match.all, bytes);
      const auto twin = former.Take(blocks_[i], origins_[i]);
      if (!twin) continue;
      match.repeated = AddCapped(match.repeated, bytes);
      if (blocks_[*twin].bytes == bytes) {
        match.repeated_sizes = AddCapped(match.repeated_sizes, bytes);
      }
      match.first = std::min(match.first, *twin);
      if (bytes <= largest) continue;
      largest = bytes;
      match.earlier = *twin;
      match.later = i;
    }
    return match;
  }

  bool IsRepetition(const Match& match, size_t split) const {
    if (match.all == 0 || static_cast<double>(match.repeated) <
                              kRepeated * static_cast<double>(match.all)) {
      return false;
    }
    const HeldBlock& earlier = blocks_[match.earlier];
    const HeldBlock& later = blocks_[match.later];
    if (in_step_ && in_step_(earlier.time) && in_step_(later.time)) {
      return false;
    }
    // A run begins as the one before did.
    if (!IsOlder(blocks_[match.first]) && Maker(split) != Maker(match.first)) {
      return false;
    }
    const size_t maker = Maker(match.earlier);
    const double pause = std::max(kWork, Work(split) / kPauses);
    return Bursts(maker, 0, split, pause) + OlderRuns(maker, split) <=
               kMaxRuns &&
           Bursts(maker, split, blocks_.size(), pause) == 1;
  }

  // How many runs as the later one the maker's older blocks are, at most.
  int64_t OlderRuns(size_t maker, size_t split) const {
    int64_t older = 0, later = 0;
    for (size_t i = 0; i < blocks_.size(); ++i) {
      if (Maker(i) != maker) continue;
      older += IsOlder(blocks_[i]) ? 1 : 0;
      later += i >= split ? 1 : 0;
    }
    return older / std::max<int64_t>(1, later);
  }

  // Not what each step makes anew, as gradients whose last ones are live: three
  // fifths of what the code ever made are.
  bool IsMadeOnce(const HeldBlock& one) const {
    const auto stack = stacks_.find(one.stack);
    const SiteCounts& made =
        stack == stacks_.end() ? sites_[one.site] : stack->second;
    return 5 * (made.allocations - made.frees) >= 3 * made.allocations;
  }

  // How often the maker allocated after a pause, in memory events.
  int64_t Bursts(size_t maker, size_t begin, size_t end, double pause) const {
    int64_t bursts = 0;
    double last = 0;
    for (size_t i = begin; i < end; ++i) {
      if (Maker(i) != maker || IsOlder(blocks_[i])) continue;
      if (bursts == 0 || moments_[i] - last > pause) ++bursts;
      last = moments_[i];
    }
    return bursts;
  }

  std::set<size_t> MakersFrom(size_t split) const {
    std::set<size_t> makers;
    for (size_t i = split; i < blocks_.size(); ++i) {
      makers.insert(Maker(i));
    }
    return makers;
  }

  EarlierRun Describe(size_t first, size_t split) const {
    EarlierRun run;
    const std::set<size_t> again = MakersFrom(split);
    for (size_t i = first; i < split; ++i) {
      const HeldBlock& one = blocks_[i];
      if (IsOlder(one) && !again.contains(Maker(i))) continue;
      run.bytes = AddCapped(run.bytes, one.bytes);
      ++run.blocks;
    }
    run.older = IsOlder(blocks_[first]);
    run.begin = blocks_[first].time;
    run.end = blocks_[split - 1].time;
    run.earlier = blocks_[match_.earlier];
    run.later = blocks_[match_.later];
    run.later_begin = blocks_[split].time;
    run.same_sizes = static_cast<double>(match_.repeated_sizes) >=
                     kRepeated * static_cast<double>(match_.all);
    return run;
  }

  const std::vector<Site>& sites_;
  std::unordered_map<int64_t, SiteCounts> stacks_;
  std::function<bool(int64_t)> in_step_;
  std::vector<HeldBlock> blocks_;  // by event
  std::vector<double> moments_;    // of each: how many events came before
  std::vector<Origin> origins_;    // of each
  std::vector<size_t> splits_;
  Match match_;
};

}  // namespace

std::optional<EarlierRun> FindEarlierRun(HeldAtRefusal held,
                                         const std::vector<Site>& sites) {
  return Search(std::move(held), sites).Find();
}

}  // namespace inquest::memory
