// SPDX-License-Identifier: Apache-2.0
// Measures what a recording takes on disk, with the product's own trace writer.
//
//     bench_disk FILE memory|cudnn EVENTS BUDGET
//
// memory: a training loop's allocations and frees, two hundred call stacks, a
// few thousand blocks live. cudnn: calls of forty layers, with a layer that
// changes its algorithm now and then. Prints the size of the finished file, the
// largest size of the file and its log together after any batch, and how many
// memory events were folded.
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "trace/records/event.h"
#include "trace/store/trace_writer.h"

namespace {

using namespace inquest;
using namespace inquest::trace;

constexpr int64_t kBatch = 8192;  // like the collector's drain
constexpr size_t kMaxLive = 4000;
constexpr int64_t kWeekNs = int64_t{7} * 24 * 3600 * 1'000'000'000;

uint64_t BytesOf(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 ? static_cast<uint64_t>(info.st_size)
                                        : 0;
}

class Run {
 public:
  Run(TraceWriter* writer, std::string path, int64_t events)
      : writer_(writer), path_(std::move(path)), events_(events) {}

  Status Write(bool memory) {
    for (int64_t made = 0; made < events_;) {
      RETURN_IF_ERROR(writer_->Begin());
      const int64_t end = std::min(made + kBatch, events_);
      for (; made < end; ++made) {
        time_ += kWeekNs / events_;
        memory ? AddMemory() : AddCudnn();
      }
      RETURN_IF_ERROR(writer_->Commit(ticket_));
      most_ = std::max(most_, BytesOf(path_) + BytesOf(path_ + "-wal"));
    }
    return writer_->Finish("collector", true, time_);
  }
  uint64_t most() const { return most_; }

 private:
  void AddMemory() {
    MemoryRecord record;
    record.time_ns = time_;
    record.context = 1;
    record.thread = 7;
    record.device = 0;
    MemoryOp op = MemoryOp::kAlloc;
    if (live_.size() < kMaxLive && random_() % 2 == 0) {
      record.address = next_ += 2 << 20;
      record.bytes = 512 * (1 + random_() % 4000);
      record.stack = 1 + random_() % 200;
      live_.push_back(record.address);
    } else if (!live_.empty()) {
      op = MemoryOp::kFree;
      std::swap(live_[random_() % live_.size()], live_.back());
      record.address = live_.back();
      live_.pop_back();
    }
    if (next_ > kLast) next_ = kFirst;
    record.SetCall(op, MemoryKind::kDevice, 0);
    writer_->Add(ticket_++, static_cast<uint32_t>(RecordKind::kMemory),
                 {reinterpret_cast<const char*>(&record), sizeof record});
  }

  void AddCudnn() {
    CudnnRunRecord record;
    record.call.time_ns = time_;
    record.call.duration_ns = 20'000 + static_cast<int64_t>(random_() % 9000);
    record.call.handle = kFirst;
    record.call.thread = 7;
    record.call.function = "cudnnConvolutionForward";
    record.operation = 1 + random_() % 40;
    record.algorithm = random_() % 5000 == 0 ? 1 : 6;
    record.workspace_bytes = 32 << 20;
    Encoder encoder;
    record.Fields(encoder);
    writer_->Add(ticket_++, static_cast<uint32_t>(RecordKind::kCudnnRun),
                 encoder.bytes());
  }

  static constexpr uint64_t kFirst = 0x7f0000000000;
  // Far more than can be live between the two, so an address is free when it is
  // used again.
  static constexpr uint64_t kLast = kFirst + (uint64_t{1} << 38);
  TraceWriter* writer_;
  std::string path_;
  int64_t events_;
  int64_t time_ = 1'000'000'000;
  uint64_t ticket_ = 1;
  uint64_t next_ = kFirst;
  uint64_t most_ = 0;
  std::vector<uint64_t> live_;
  std::mt19937_64 random_{20261122};
};

Status Measure(const std::string& path, bool memory, int64_t events,
               uint64_t budget) {
  uint64_t most = 0;
  {
    ASSIGN_OR_RETURN(TraceWriter writer, TraceWriter::Open(path, budget));
    Run run(&writer, path, events);
    RETURN_IF_ERROR(run.Write(memory));
    most = run.most();
  }
  ASSIGN_OR_RETURN(Database db,
                   Database::Open(path, Database::Mode::kReadOnly));
  ASSIGN_OR_RETURN(
      const int64_t folded,
      db.QueryInt("SELECT coalesce(sum(folded),0) FROM checkpoint"));
  std::printf("bytes %llu\nmost %llu\nfolded %lld\n",
              static_cast<unsigned long long>(BytesOf(path)),
              static_cast<unsigned long long>(most),
              static_cast<long long>(folded));
  return Status::Ok();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: bench_disk FILE memory|cudnn EVENTS BUDGET\n");
    return 2;
  }
  const Status status =
      Measure(argv[1], std::strcmp(argv[2], "memory") == 0, std::atoll(argv[3]),
              std::strtoull(argv[4], nullptr, 10));
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", status.message().c_str());
  return 1;
}
