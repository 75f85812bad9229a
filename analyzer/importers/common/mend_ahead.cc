// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/common/mend_ahead.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace inquest::importers {

size_t MendAhead::Read(char* buffer, size_t size) {
  if (ahead_.started()) return ReadBlock(buffer, size);
  const size_t got = ReadAlone(buffer, size);
  alone_ -= std::min(alone_, got);
  const bool begin = alone_ == 0 && got > 0;
  if (begin && !ahead_.Start([this](Block* block) { return Fill(block); })) {
    alone_ = SIZE_MAX;
  }
  return got;
}

size_t MendAhead::ReadAlone(char* buffer, size_t size) {
  const size_t got = mender_.Read(buffer, size);
  offset_ = mender_.offset();
  if (got == 0) fault_ = mender_.fault();
  return got;
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

size_t MendAhead::ReadBlock(char* buffer, size_t size) {
  if (block_ == nullptr || at_ == block_->text.size()) {
    block_ = ahead_.Next();
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

}  // namespace inquest::importers
