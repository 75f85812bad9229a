// SPDX-License-Identifier: Apache-2.0
#include "trace/journal/ring_file.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "trace/journal/journal_format.h"

namespace inquest::trace {
namespace {

constexpr size_t kRingPiece = 256 << 10;

}  // namespace

RingFile::RingFile(InputFile file)
    : file_(std::move(file)),
      end_(std::max<uint64_t>(file_.facts().st_size, kJournalHeaderSize) -
           kJournalHeaderSize) {}

std::string_view RingFile::At(uint64_t offset, size_t bytes) {
  if (offset >= end_) return {};
  bytes = std::min({uint64_t{bytes}, uint64_t{kMaxPayload}, end_ - offset});
  if (offset < begin_ || offset + bytes > begin_ + piece_.size()) Load(offset);
  return std::string_view(piece_).substr(offset - begin_, bytes);
}

void RingFile::Load(uint64_t offset) {
  begin_ = offset;
  piece_.resize(kRingPiece);
  size_t done = 0;
  while (done < kRingPiece) {
    const ssize_t got =
        pread(file_.fd(), &piece_[done], kRingPiece - done,
              static_cast<off_t>(kJournalHeaderSize + offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) error_ = errno;
    if (got <= 0) break;
    done += static_cast<size_t>(got);
  }
  piece_.resize(done);
}

}  // namespace inquest::trace
