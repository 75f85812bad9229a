// SPDX-License-Identifier: Apache-2.0
// Blocks that other threads fill while the caller works on an earlier one. They
// fill one block after the other and hand them over in turn, so the result does
// not depend on them; what can be done to several blocks at once is done apart.
// Used by one thread beside its own.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/parallel.h"

namespace inquest {

template <typename Block, size_t kBlocks>
class ReadAhead {
 public:
  // Fills a block that may have been used before; false: there is no more.
  using Fill = std::function<bool(Block*)>;
  // The rest, for any block that was filled, on several threads.
  using Finish = std::function<void(Block*)>;

  ReadAhead() = default;
  ~ReadAhead() { Stop(); }
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  // From now on only the threads call these: one, or two if there is something
  // to finish. False if there is to be none: one core, or a limit on threads.
  bool Start(Fill fill, Finish finish = {}) {
    if (Threads(2) < 2) return false;
    fill_ = std::move(fill);
    finish_ = std::move(finish);
    try {
      for (int i = 0; i < (finish_ ? 2 : 1); ++i) {
        threads_.emplace_back([this] { Work(); });
      }
    } catch (const std::system_error&) {
      // A limit on threads: go on with those there are.
    }
    return started();
  }
  bool started() const { return !threads_.empty(); }

  // The next block, valid until the next call; null at the end, when `fill` is
  // called no more.
  const Block* Next() {
    std::unique_lock lock(mutex_);
    Slot& slot = slots_[taken_ % kBlocks];
    changed_.wait(lock,
                  [&] { return slot.ready || (done_ && filled_ == taken_); });
    if (!slot.ready) return nullptr;
    slot.ready = false;
    ++taken_;
    changed_.notify_all();
    return &slot.block;
  }

  // Waits for the threads, which fill no other block.
  void Stop() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  struct Slot {
    Block block;
    bool ready = false;  // to be taken
  };

  void Work() {
    std::unique_lock lock(mutex_);
    while (Slot* slot = FillNext(&lock)) {
      if (finish_) {
        lock.unlock();
        finish_(&slot->block);
        lock.lock();
      }
      slot->ready = true;
      changed_.notify_all();
    }
  }

  // Null: there is no more, or no more is wanted. A block that was taken is
  // free again when the one after it is.
  Slot* FillNext(std::unique_lock<std::mutex>* lock) {
    changed_.wait(*lock, [&] {
      return stopped_ || done_ || (!filling_ && filled_ - taken_ < kBlocks - 1);
    });
    if (stopped_ || done_) return nullptr;
    Slot* slot = &slots_[filled_ % kBlocks];
    filling_ = true;
    lock->unlock();
    const bool more = fill_(&slot->block);
    lock->lock();
    filling_ = false;
    filled_ += more ? 1 : 0;
    done_ = !more;
    changed_.notify_all();
    return more ? slot : nullptr;
  }

  Fill fill_;
  Finish finish_;
  std::vector<std::thread> threads_;

  std::mutex mutex_;  // guards what follows, but for blocks being worked on
  std::condition_variable changed_;
  std::array<Slot, kBlocks> slots_;
  uint64_t filled_ = 0;  // blocks, ever
  uint64_t taken_ = 0;
  bool filling_ = false;
  bool done_ = false;     // no more will be filled
  bool stopped_ = false;  // no more are wanted
};

}  // namespace inquest
