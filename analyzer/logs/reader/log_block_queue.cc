// SPDX-License-Identifier: Apache-2.0
#include "analyzer/logs/reader/log_block_queue.h"

#include <system_error>

#include "base/parallel.h"

namespace inquest::ingest {

BlockQueue::BlockQueue(ByteStream* bytes, size_t max_line,
                       const rules::SignatureSet& signatures)
    : reader_(bytes, max_line), signatures_(signatures) {}

BlockQueue::~BlockQueue() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

bool BlockQueue::Fill(MarkedBlock* block) {
  std::string_view text;
  if (!reader_.Next(&text, &block->offset)) {
    block->text.clear();
    return false;
  }
  block->text = text;
  block->bytes_read = reader_.bytes();
  block->at_end = reader_.at_end();
  block->marks = signatures_.MarkLiterals(block->text);
  return true;
}

const MarkedBlock* BlockQueue::Next() {
  if (thread_.joinable()) return NextOfThread();
  MarkedBlock* block = &blocks_[0];
  if (block->at_end || !Fill(block)) return nullptr;
  if (block->at_end || Threads(2) < 2) return block;
  try {
    filled_ = taken_ = 1;  // the one returned now
    thread_ = std::thread([this] { ReadAhead(); });
  } catch (const std::system_error&) {
    filled_ = taken_ = 0;  // a limit on threads: read when asked
  }
  return block;
}

void BlockQueue::ReadAhead() {
  std::unique_lock lock(mutex_);
  while (!done_) {
    changed_.wait(lock,
                  [&] { return stopped_ || filled_ - taken_ < kBlocks - 1; });
    if (stopped_) return;
    MarkedBlock* block = &blocks_[filled_ % kBlocks];
    lock.unlock();
    const bool more = Fill(block);
    lock.lock();
    filled_ += more ? 1 : 0;
    done_ = !more || block->at_end;
    changed_.notify_all();
  }
}

const MarkedBlock* BlockQueue::NextOfThread() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return done_ || filled_ > taken_; });
  if (filled_ == taken_) return nullptr;
  const MarkedBlock* block = &blocks_[taken_++ % kBlocks];
  changed_.notify_all();
  return block;
}

}  // namespace inquest::ingest
