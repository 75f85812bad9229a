// SPDX-License-Identifier: Apache-2.0
// The blocks of a log with the literals in them. Beyond the first block,
// other threads read, unpack and mark ahead, which is most of the work of a
// long log; the result does not depend on them. Internal to the log reader;
// used by one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "analyzer/logs/reader/log_blocks.h"
#include "analyzer/rules/signatures/signature_set.h"
#include "base/read_ahead.h"

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

  // The next block, valid until the next call; null at the end, when nothing
  // touches the stream any more.
  const MarkedBlock* Next();

  // After the end; see log_blocks.h.
  int64_t bytes() const { return reader_.bytes(); }
  bool ends_within_line() const { return reader_.ends_within_line(); }

 private:
  bool Fill(MarkedBlock* block);
  void Mark(MarkedBlock* block) const;

  BlockReader reader_;
  const rules::SignatureSet& signatures_;
  MarkedBlock first_;  // until the threads have begun
  ReadAhead<MarkedBlock, 5> ahead_;
};

}  // namespace inquest::ingest
