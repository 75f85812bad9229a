// SPDX-License-Identifier: Apache-2.0
// The blocks of a log with the literals in them. Beyond the first block,
// another thread reads, unpacks and marks ahead, which is most of the work of a
// long log; the result does not depend on it. Internal to the log reader; used
// by one thread.
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "analyzer/logs/reader/log_blocks.h"
#include "analyzer/rules/signatures/signature_set.h"

namespace inquest::ingest {

struct MarkedBlock {
  std::string text;        // whole lines
  int64_t offset = 0;      // of its first byte in the log
  int64_t bytes_read = 0;  // of the log so far
  bool at_end = false;     // the log's last block
  rules::SignatureSet::Marks marks;
};

class BlockQueue {
 public:
  // All arguments must outlive this.
  BlockQueue(ByteStream* bytes, size_t max_line,
             const rules::SignatureSet& signatures);
  ~BlockQueue();
  BlockQueue(const BlockQueue&) = delete;
  BlockQueue& operator=(const BlockQueue&) = delete;

  // The next block, valid until the next call; null at the end, when nothing
  // touches the stream any more.
  const MarkedBlock* Next();

  // After the end; see log_blocks.h.
  int64_t bytes() const { return reader_.bytes(); }
  bool ends_within_line() const { return reader_.ends_within_line(); }

 private:
  // Blocks are filled in turn; a full one is free again when Next is called for
  // the one after it.
  static constexpr size_t kBlocks = 3;

  bool Fill(MarkedBlock* block);
  void ReadAhead();
  const MarkedBlock* NextOfThread();

  BlockReader reader_;
  const rules::SignatureSet& signatures_;
  std::array<MarkedBlock, kBlocks> blocks_;
  std::thread thread_;

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  uint64_t filled_ = 0;  // blocks, ever
  uint64_t taken_ = 0;
  bool done_ = false;     // no more will be filled
  bool stopped_ = false;  // no more are wanted
};

}  // namespace inquest::ingest
