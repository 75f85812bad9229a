// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/common/mend_ahead.h"

#include <algorithm>
#include <cstring>
#include <system_error>
#include <utility>

#include "base/parallel.h"

namespace inquest::importers {

size_t MendAhead::Read(char* buffer, size_t size) {
  if (thread_.joinable()) return ReadBlock(buffer, size);
  const size_t got = ReadAlone(buffer, size);
  alone_ -= std::min(alone_, got);
  if (alone_ == 0 && got > 0 && !std::exchange(tried_, true)) Begin();
  return got;
}

size_t MendAhead::ReadAlone(char* buffer, size_t size) {
  const size_t got = mender_.Read(buffer, size);
  offset_ = mender_.offset();
  if (got == 0) fault_ = mender_.fault();
  return got;
}

void MendAhead::Begin() {
  if (Threads(2) < 2) return;
  try {
    thread_ = std::thread([this] { Work(); });
  } catch (const std::system_error&) {
    // A limit on threads: it is mended when it is asked for.
  }
}

bool MendAhead::Fill(Block* block) {
  block->text.resize(kBlockBytes);
  size_t size = 0;
  while (size < kBlockBytes) {
    const size_t got =
        mender_.Read(block->text.data() + size, kBlockBytes - size);
    if (got == 0) break;
    size += got;
  }
  block->text.resize(size);
  block->offset = mender_.offset();
  return size > 0;
}

void MendAhead::Work() {
  std::unique_lock lock(mutex_);
  while (!done_) {
    changed_.wait(lock,
                  [&] { return stopped_ || filled_ - taken_ < kBlocks - 1; });
    if (stopped_) return;
    Block* block = &blocks_[filled_ % kBlocks];
    lock.unlock();
    const bool more = Fill(block);
    lock.lock();
    filled_ += more ? 1 : 0;
    done_ = !more;
    changed_.notify_all();
  }
}

// Valid until the next call; null at the end.
const MendAhead::Block* MendAhead::Next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return done_ || filled_ > taken_; });
  if (filled_ == taken_) return nullptr;
  const Block* block = &blocks_[taken_++ % kBlocks];
  changed_.notify_all();
  return block;
}

size_t MendAhead::ReadBlock(char* buffer, size_t size) {
  if (block_ == nullptr || at_ == block_->text.size()) {
    block_ = Next();
    at_ = 0;
  }
  if (block_ == nullptr) {
    fault_ = mender_.fault();
    return 0;
  }
  const size_t got = std::min(size, block_->text.size() - at_);
  std::memcpy(buffer, block_->text.data() + at_, got);
  at_ += got;
  offset_ = block_->offset;
  return got;
}

void MendAhead::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

}  // namespace inquest::importers
