// SPDX-License-Identifier: Apache-2.0
// Blocks that another thread fills while the caller works on an earlier one.
// The thread takes one block after the other in turn, so the result does not
// depend on it. Used by one thread beside its own.
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

#include "base/parallel.h"

namespace inquest {

template <typename Block, size_t kBlocks>
class ReadAhead {
 public:
  // Fills a block that may have been used before; false: there is no more.
  using Fill = std::function<bool(Block*)>;

  ReadAhead() = default;
  ~ReadAhead() { Stop(); }
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  // From now on only the thread calls `fill`. False if there is to be none: one
  // core, or a limit on threads.
  bool Start(Fill fill) {
    if (Threads(2) < 2) return false;
    fill_ = std::move(fill);
    try {
      thread_ = std::thread([this] { Work(); });
    } catch (const std::system_error&) {
      return false;
    }
    return true;
  }
  bool started() const { return thread_.joinable(); }

  // The next block, valid until the next call; null at the end, when `fill` is
  // called no more.
  const Block* Next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return done_ || filled_ > taken_; });
    if (filled_ == taken_) return nullptr;
    const Block* block = &blocks_[taken_++ % kBlocks];
    changed_.notify_all();
    return block;
  }

  // Waits for the thread, which fills no other block.
  void Stop() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
  }

 private:
  // A block that was taken is free again when the one after it is.
  void Work() {
    std::unique_lock lock(mutex_);
    while (!done_) {
      changed_.wait(lock,
                    [&] { return stopped_ || filled_ - taken_ < kBlocks - 1; });
      if (stopped_) return;
      Block* block = &blocks_[filled_ % kBlocks];
      lock.unlock();
      const bool more = fill_(block);
      lock.lock();
      filled_ += more ? 1 : 0;
      done_ = !more;
      changed_.notify_all();
    }
  }

  Fill fill_;
  std::array<Block, kBlocks> blocks_;
  std::thread thread_;

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  uint64_t filled_ = 0;  // blocks, ever
  uint64_t taken_ = 0;
  bool done_ = false;     // no more will be filled
  bool stopped_ = false;  // no more are wanted
};

}  // namespace inquest
