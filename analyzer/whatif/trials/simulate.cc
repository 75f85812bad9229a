// SPDX-License-Identifier: Apache-2.0
#include "analyzer/whatif/trials/simulate.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <unordered_map>
#include <utility>

#include "analyzer/whatif/models/async_pool.h"
#include "analyzer/whatif/models/cuda_malloc.h"

namespace inquest::whatif {
namespace {

// Keeps leaking sites at the level of the end of their first step: at the end
// of later steps, the oldest blocks beyond it are freed.
class LeakHold {
 public:
  LeakHold(const History& history, Allocator* allocator)
      : history_(history), allocator_(allocator) {
    for (const LeakingSite& leak : history.leaks) {
      sites_[static_cast<uint32_t>(leak.site)].first_step = leak.first_step;
    }
  }

  void Made(uint32_t block, int64_t bytes) {
    const auto site = sites_.find(history_.sites[block]);
    if (site == sites_.end()) return;
    site->second.blocks.emplace_back(block, bytes);
    site->second.live += bytes;
    bytes_[block] = bytes;
  }

  void Freed(uint32_t block) {
    const auto found = bytes_.find(block);
    if (found == bytes_.end()) return;
    sites_[history_.sites[block]].live -= found->second;
    bytes_.erase(found);
  }

  void EndStep(int64_t step) {
    for (auto& [id, site] : sites_) {
      if (step < site.first_step) continue;
      if (!site.level) site.level = site.live;
      while (site.live > *site.level && !site.blocks.empty()) {
        const uint32_t oldest = site.blocks.front().first;
        site.blocks.pop_front();
        if (!bytes_.contains(oldest)) continue;
        allocator_->Free(oldest);
        Freed(oldest);
      }
    }
  }

 private:
  struct Site {
    int64_t first_step = 0;
    std::optional<int64_t> level;
    int64_t live = 0;
    std::deque<std::pair<uint32_t, int64_t>> blocks;
  };
  const History& history_;
  Allocator* allocator_;
  std::unordered_map<uint32_t, Site> sites_;
  std::unordered_map<uint32_t, int64_t> bytes_;  // of live ones
};

class Run {
 public:
  Run(const History& history, const Setup& setup, int64_t capacity)
      : history_(history), setup_(setup), capacity_(capacity) {
    Make();
    if (setup.hold_leaks) leaks_.emplace(history, allocator_.get());
  }

  Outcome Play() {
    if (!Begin()) return Finish();
    for (size_t i = 0; i < history_.requests.size(); ++i) {
      at_ = i;
      if (!Step(history_.requests[i])) break;
    }
    return Finish();
  }

  Simulation Take() { return {std::move(driver_), std::move(allocator_)}; }

 private:
  void Make();
  bool Begin();
  bool Step(const Request& request);
  bool Allocate(const Request& request);
  int64_t Bytes(const Request& request) const;
  bool ReleasedAtWill(const Request& request) const;
  void Refuse(int64_t bytes);

  Outcome Finish() {
    outcome_.totals = allocator_->totals();
    return outcome_;
  }

  const History& history_;
  const Setup& setup_;
  int64_t capacity_;
  std::unique_ptr<Driver> driver_;
  std::unique_ptr<Allocator> allocator_;
  TorchAllocator* torch_ = nullptr;
  std::optional<LeakHold> leaks_;
  Outcome outcome_;
  size_t at_ = 0;
};

void Run::Make() {
  DriverOptions options;
  options.capacity = capacity_;
  options.one_piece = history_.room.one_piece && capacity_ < kBoundless;
  if (options.one_piece) {
    options.base = history_.room.lowest.value_or(options.base) / kPage * kPage;
  }
  driver_ = std::make_unique<Driver>(options);
  if (setup_.model == Model::kTorch) {
    // The whole device is larger than this process's room, by what others use.
    const int64_t taken = history_.room.total && history_.room.bytes
                              ? *history_.room.total - *history_.room.bytes
                              : 0;
    auto torch = std::make_unique<TorchAllocator>(
        driver_.get(), setup_.torch, capacity_ + std::max<int64_t>(taken, 0));
    torch_ = torch.get();
    for (const uint16_t queue : history_.private_queues) {
      torch->MarkPrivate(queue);
    }
    allocator_ = std::move(torch);
  } else if (setup_.model == Model::kBfc) {
    BfcSettings settings = setup_.bfc;
    settings.limit = std::min(settings.limit, capacity_);
    allocator_ = std::make_unique<BfcAllocator>(driver_.get(), settings);
  } else if (setup_.model == Model::kAsync) {
    allocator_ = std::make_unique<AsyncPool>(driver_.get());
  } else {
    allocator_ = std::make_unique<CudaMalloc>(driver_.get());
  }
}

int64_t Run::Bytes(const Request& request) const {
  if (setup_.resized && setup_.resized->first == request.block) {
    return setup_.resized->second;
  }
  if (setup_.scale == 1 || history_.persistent[request.block]) {
    return request.bytes;
  }
  const double bytes = setup_.scale * static_cast<double>(request.bytes);
  return std::max<int64_t>(1, std::llround(bytes));
}

// Allocates what was live before the history.
bool Run::Begin() {
  if (setup_.place && torch_ != nullptr) {
    for (size_t i = 0; i < history_.segments.size(); ++i) {
      if (!torch_->Place(history_.segments[i], history_.placed[i])) {
        Refuse(history_.segments[i].bytes);
        return false;
      }
    }
    if (leaks_) {
      for (const Request& one : history_.before)
        leaks_->Made(one.block, one.bytes);
    }
    return true;
  }
  return std::all_of(
      history_.before.begin(), history_.before.end(),
      [this](const Request& request) { return Allocate(request); });
}

void Run::Refuse(int64_t bytes) {
  const Totals& totals = allocator_->totals();
  outcome_.refused = Refused{at_, bytes, totals.allocated, totals.reserved,
                             allocator_->LargestFree()};
}

bool Run::Allocate(const Request& request) {
  const int64_t bytes = Bytes(request);
  if (!allocator_->Allocate(request.block, bytes, request.queue)) {
    Refuse(bytes);
    return false;
  }
  if (leaks_) leaks_->Made(request.block, bytes);
  return true;
}

// Whether the program requested the release. Releases for lack of memory are
// the model's own decision.
bool Run::ReleasedAtWill(const Request& request) const {
  return request.bytes == 0 || !history_.room.bytes ||
         request.bytes <= *history_.room.bytes;
}

bool Run::Step(const Request& request) {
  switch (request.op) {
    case Op::kAllocate:
      return Allocate(request);
    case Op::kFree:
      allocator_->Free(request.block);
      if (leaks_) leaks_->Freed(request.block);
      return true;
    case Op::kEmptyCache:
      if (ReleasedAtWill(request)) allocator_->EmptyCache();
      return true;
    case Op::kStepEnd:
      if (leaks_) leaks_->EndStep(request.bytes);
      return true;
    case Op::kRefused:
      return setup_.skip_refused || Allocate(request);
    case Op::kRefusedInPassing:
      // Its lifetime is unknown, so it is freed at once.
      if (allocator_->Allocate(request.block, Bytes(request), request.queue)) {
        allocator_->Free(request.block);
      }
      return true;
  }
  return true;
}

}  // namespace

Outcome Simulate(const History& history, const Setup& setup, int64_t capacity,
                 Simulation* simulation) {
  Run run(history, setup, capacity);
  const Outcome outcome = run.Play();
  if (simulation != nullptr) *simulation = run.Take();
  return outcome;
}

Outcome Simulate(const History& history, const Setup& setup, int64_t capacity) {
  return Simulate(history, setup, capacity, nullptr);
}

void MeasureRoom(History* history, int64_t free_bytes, size_t request) {
  Driver driver({});
  CudaMalloc model(&driver);
  for (const Request& one : history->before) {
    model.Allocate(one.block, one.bytes, 0);
  }
  for (size_t i = 0; i < request && i < history->requests.size(); ++i) {
    const Request& one = history->requests[i];
    if (one.op == Op::kAllocate) model.Allocate(one.block, one.bytes, 0);
    if (one.op == Op::kFree) model.Free(one.block);
  }
  Room& room = history->room;
  room.bytes = driver.used() + free_bytes;
  if (!history->died) return;
  const int64_t asked = history->requests[*history->died].bytes;
  room.one_piece = RoundUp(asked, kPage) <= free_bytes / kPage * kPage;
}

int64_t MinCapacity(const History& history, const Setup& setup, int64_t low,
                    int64_t high, int64_t tolerance) {
  low = low / kPage;
  high = RoundUp(high, kPage) / kPage;
  while (high - low > std::max<int64_t>(1, tolerance / kPage)) {
    const int64_t middle = low + (high - low) / 2;
    const bool enough = Simulate(history, setup, middle * kPage).ok();
    (enough ? high : low) = middle;
  }
  return high * kPage;
}

}  // namespace inquest::whatif
