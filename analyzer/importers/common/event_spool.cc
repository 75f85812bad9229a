// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/common/event_spool.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

namespace inquest::importers {
namespace {

constexpr size_t kAtOnce = 8192;  // entries

}  // namespace

Status EventSpool::Flush() {
  if (file_ == nullptr) file_.reset(std::tmpfile());
  const size_t written = file_ == nullptr
                             ? 0
                             : std::fwrite(tail_.data(), sizeof(PoolEvent),
                                           tail_.size(), file_.get());
  if (written != tail_.size() || std::fflush(file_.get()) != 0) {
    return Internal(std::string("cannot keep the history in a temporary "
                                "file: ") +
                    std::strerror(errno));
  }
  tail_.clear();
  return Status::Ok();
}

Status EventSpool::Append(const PoolEvent& event) {
  tail_.push_back(event);
  ++size_;
  return tail_.size() < kAtOnce ? Status::Ok() : Flush();
}

const PoolEvent* EventSpool::Reader::Next() {
  if (at_ < buffer_.size()) return &buffer_[at_++];
  if (next_ >= to_) return nullptr;
  const uint64_t stored = spool_->size_ - spool_->tail_.size();
  const uint64_t end = std::min(to_, next_ + kAtOnce);
  if (next_ >= stored) {
    const auto tail = spool_->tail_.begin();
    buffer_.assign(tail + static_cast<std::ptrdiff_t>(next_ - stored),
                   tail + static_cast<std::ptrdiff_t>(end - stored));
  } else {
    buffer_.resize(std::min(end, stored) - next_);
    const size_t bytes = buffer_.size() * sizeof(PoolEvent);
    const ssize_t got =
        pread(fileno(spool_->file_.get()), buffer_.data(), bytes,
              static_cast<off_t>(next_ * sizeof(PoolEvent)));
    if (got != static_cast<ssize_t>(bytes)) return nullptr;
  }
  next_ += buffer_.size();
  at_ = 1;
  return buffer_.data();
}

}  // namespace inquest::importers
