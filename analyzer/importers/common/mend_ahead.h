// SPDX-License-Identifier: Apache-2.0
// A mender whose output another thread makes ahead: in a large file mending and
// parsing take about as long. Its first part is mended when it is asked for, so
// that no small file starts a thread. The bytes do not depend on it. Used by
// one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "analyzer/importers/common/json_mender.h"
#include "base/read_ahead.h"

namespace inquest::importers {

class MendAhead : public ingest::ByteStream {
 public:
  // `alone`: bytes that are mended before a thread begins.
  explicit MendAhead(ingest::ByteStream* bytes, size_t alone = 4 << 20)
      : mender_(bytes), alone_(alone) {}

  size_t Read(char* buffer, size_t size) override;
  // Reads no further; afterwards nothing touches the stream any more.
  void Stop() { ahead_.Stop(); }
  // Of the input, up to which what Read returned was mended, or a little more.
  uint64_t offset() const { return offset_; }
  // After Stop.
  int64_t mended() const { return mender_.mended(); }

 private:
  static constexpr size_t kBlockBytes = 128 << 10;
  struct Block {
    std::string text;
    uint64_t offset = 0;
  };

  size_t ReadAlone(char* buffer, size_t size);
  size_t ReadBlock(char* buffer, size_t size);
  bool Fill(Block* block);

  JsonMender mender_;
  size_t alone_;
  uint64_t offset_ = 0;
  const Block* block_ = nullptr;  // the one that is read
  size_t at_ = 0;                 // in it
  ReadAhead<Block, 4> ahead_;
};

}  // namespace inquest::importers
