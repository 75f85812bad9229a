// SPDX-License-Identifier: Apache-2.0
// gzip and zstd as stages; see log_stages.h. Corrupt or truncated data yields
// what comes before the damage. The budget stops decompression bombs.

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "analyzer/logs/reader/log_stages.h"
#include "base/units.h"

namespace inquest::ingest {
namespace {

// The common part: a compressed buffer, a budget, and the end.
class Unpacker : public ByteStream {
 public:
  Unpacker(Stage packed, int64_t most)
      : packed_(std::move(packed)), left_(most), most_(most) {}

  size_t Read(char* buffer, size_t size) override {
    if (ended_) return 0;
    if (left_ <= 0) {
      End(false, "unpacking stopped at " + FormatBytes(most_));
      return 0;
    }
    const size_t got = Unpack(buffer, static_cast<size_t>(std::min<int64_t>(
                                          left_, static_cast<int64_t>(size))));
    left_ -= static_cast<int64_t>(got);
    return got;
  }

 protected:
  virtual size_t Unpack(char* buffer, size_t size) = 0;

  // Reads more compressed bytes into in_; false at their end.
  bool Refill() {
    begin_ = 0;
    end_ = packed_->Read(in_.data(), in_.size());
    return end_ > 0;
  }
  void EndOfInput(bool inside) {
    if (inside) {
      End(true, "the packed data ends in the middle");
    } else {
      ended_ = true;
    }
    const Fault& below = packed_->fault();
    fault_.incomplete = fault_.incomplete || below.incomplete;
    if (!below.note.empty()) fault_.note = below.note;
  }
  void End(bool truncated, std::string note) {
    ended_ = true;
    fault_ = {truncated, !truncated, std::move(note)};
  }

  Stage packed_;
  std::array<char, 64 << 10> in_;
  size_t begin_ = 0;
  size_t end_ = 0;
  bool ended_ = false;

 private:
  int64_t left_;
  int64_t most_;
};

class Gzip : public Unpacker {
 public:
  Gzip(Stage packed, int64_t most) : Unpacker(std::move(packed), most) {
    constexpr int kGzipOnly = 15 + 16;
    if (inflateInit2(&zlib_, kGzipOnly) != Z_OK) {
      End(false, "no memory to unpack gzip");
    }
  }
  ~Gzip() override { inflateEnd(&zlib_); }

 protected:
  size_t Unpack(char* buffer, size_t size) override {
    size = std::min<size_t>(size, std::numeric_limits<uInt>::max());
    zlib_.next_out = reinterpret_cast<Bytef*>(buffer);
    zlib_.avail_out = static_cast<uInt>(size);
    while (zlib_.avail_out == size && !ended_) {
      if (begin_ == end_ && !Refill()) {
        EndOfInput(inside_);
        break;
      }
      if (!inside_ && !NextMember()) break;
      Step();
    }
    return size - zlib_.avail_out;
  }

 private:
  // There may be several members (logrotate, pigz); after the last one, tape
  // drives append zeros, and other tools anything.
  bool NextMember() {
    if (members_ > 0 && in_[begin_] != '\x1f') {
      if (in_[begin_] != '\0')
        fault_.note = "data after the gzip stream is left out";
      ended_ = true;
      return false;
    }
    inflateReset(&zlib_);
    inside_ = true;
    ++members_;
    return true;
  }

  void Step() {
    zlib_.next_in = reinterpret_cast<Bytef*>(in_.data() + begin_);
    zlib_.avail_in = static_cast<uInt>(end_ - begin_);
    const int result = inflate(&zlib_, Z_NO_FLUSH);
    begin_ = end_ - zlib_.avail_in;
    if (result == Z_STREAM_END) {
      inside_ = false;
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
      End(false, std::string("the gzip data is damaged") +
                     (zlib_.msg != nullptr ? std::string(": ") + zlib_.msg
                                           : std::string()));
    }
  }

  z_stream zlib_ = {};
  bool inside_ = false;
  int members_ = 0;
};

class Zstd : public Unpacker {
 public:
  Zstd(Stage packed, int64_t most)
      : Unpacker(std::move(packed), most), zstd_(ZSTD_createDCtx()) {
    if (zstd_ == nullptr) {
      End(false, "no memory to unpack zstd");
      return;
    }
    constexpr int kWindowLog = 27;  // 128 MiB, what zstd -d allows
    ZSTD_DCtx_setParameter(zstd_, ZSTD_d_windowLogMax, kWindowLog);
  }
  ~Zstd() override { ZSTD_freeDCtx(zstd_); }

 protected:
  size_t Unpack(char* buffer, size_t size) override {
    ZSTD_outBuffer out = {buffer, size, 0};
    while (out.pos == 0 && !ended_) {
      // The decoder may still have bytes although the input is consumed.
      if (begin_ == end_ && !pending_ && !Refill()) {
        EndOfInput(inside_);
        break;
      }
      ZSTD_inBuffer in = {in_.data(), end_, begin_};
      const size_t result = ZSTD_decompressStream(zstd_, &out, &in);
      begin_ = in.pos;
      if (ZSTD_isError(result) != 0) {
        End(false, std::string("the zstd data is damaged: ") +
                       ZSTD_getErrorName(result));
      }
      inside_ = result != 0;
      pending_ = out.pos == out.size && inside_;
    }
    return out.pos;
  }

 private:
  ZSTD_DCtx* zstd_;
  bool inside_ = false;
  bool pending_ = false;
};

}  // namespace

Stage Gunzip(Stage packed, int64_t most) {
  return std::make_unique<Gzip>(std::move(packed), most);
}
Stage Unzstd(Stage packed, int64_t most) {
  return std::make_unique<Zstd>(std::move(packed), most);
}

}  // namespace inquest::ingest
