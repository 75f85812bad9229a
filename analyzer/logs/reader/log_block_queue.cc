// SPDX-License-Identifier: Apache-2.0
#include "analyzer/logs/reader/log_block_queue.h"

namespace inquest::ingest {

BlockQueue::BlockQueue(ByteStream* bytes, size_t max_line,
                       const rules::SignatureSet& signatures)
    : reader_(bytes, max_line), signatures_(signatures) {}

bool BlockQueue::Fill(MarkedBlock* block) {
  std::string_view text;
  if (!reader_.Next(&text, &block->offset)) {
    block->text.clear();
    return false;
  }
  block->text = text;
  block->bytes_read = reader_.bytes();
  block->at_end = reader_.at_end();
  return true;
}

void BlockQueue::Mark(MarkedBlock* block) const {
  block->marks = signatures_.MarkLiterals(block->text);
}

const MarkedBlock* BlockQueue::Next() {
  if (ahead_.started()) {
    first_ = {};
    return ahead_.Next();
  }
  if (first_.at_end || !Fill(&first_)) return nullptr;
  Mark(&first_);
  if (!first_.at_end) {
    ahead_.Start([this](MarkedBlock* block) { return Fill(block); },
                 [this](MarkedBlock* block) { Mark(block); });
  }
  return &first_;
}

}  // namespace inquest::ingest
