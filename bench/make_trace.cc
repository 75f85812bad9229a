// SPDX-License-Identifier: Apache-2.0
// Writes a trace of a made-up training run with the product's own trace writer:
// steps that allocate and free, a site that keeps a little of each step, and a
// refused request at the end, so that every trace rule has data to read. Equal
// arguments give equal traces. Usage: bench_make_trace FILE EVENTS
// [marked|found]: whether steps are marked
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "trace/records/event.h"
#include "trace/store/trace_writer.h"

namespace {

using namespace inquest;
using namespace inquest::trace;

constexpr int64_t kDeviceBytes = int64_t{80} << 30;
constexpr int64_t kEventsAStep = 5000;
constexpr int64_t kBatch = 100'000;
constexpr uint32_t kSites = 200;
constexpr int64_t kPid = 4242;

class Run {
 public:
  Run(TraceWriter* writer, int64_t events, bool marks_steps)
      : writer_(writer), events_(events), marks_steps_(marks_steps) {}

  Status Write() {
    RETURN_IF_ERROR(writer_->Begin());
    Introduce();
    while (made_ < events_ - 1) RETURN_IF_ERROR(Step());
    Die();
    RETURN_IF_ERROR(writer_->Commit(ticket_));
    return writer_->Finish("collector", true, Now());
  }

 private:
  struct Block {
    uint64_t address;
    uint64_t bytes;
  };

  int64_t Now() { return time_ += 1000; }

  template <typename Record>
  void Add(Record record) {
    Encoder encoder;
    record.Fields(encoder);
    writer_->Add(ticket_++, static_cast<uint32_t>(Record::kKind),
                 encoder.bytes());
  }

  void AddMemory(MemoryOp op, const Block& block, uint32_t stack,
                 uint16_t result) {
    MemoryRecord record;
    record.time_ns = Now();
    record.address = result == 0 ? block.address : 0;
    record.bytes = op == MemoryOp::kFree ? 0 : block.bytes;
    record.context = 1;
    record.thread = 7;
    record.stack = stack;
    record.device = 0;
    record.SetCall(op, MemoryKind::kDevice, result);
    writer_->Add(ticket_++, static_cast<uint32_t>(RecordKind::kMemory),
                 {reinterpret_cast<const char*>(&record), sizeof record});
    ++made_;
  }

  void Introduce() {
    ProcessRecord process;
    process.pid = kPid;
    process.parent_pid = 1;
    process.start_ns = Now();
    process.host = "bench";
    process.executable = "/usr/bin/train";
    process.command = "train";
    process.rank = 0;
    Add(process);
    Add(ClockAnchorRecord{time_, 1'700'000'000'000'000'000});
    DeviceRecord device;
    device.total_bytes = kDeviceBytes;
    device.name = "A made-up GPU";
    device.uuid = "GPU-0";
    device.pci = "0000:01:00.0";
    device.compute_capability = "9.0";
    device.driver_version = "580.95.05";
    Add(device);
    Add(DeviceMemoryRecord{Now(), 0, kDeviceBytes, kDeviceBytes, "start"});
    for (const char* name : {"libcudnn.so.9", "libcudnn_ops.so.9",
                             "libcudnn_cnn.so.9", "libcudart.so.12"}) {
      LibraryRecord library;
      library.time_ns = Now();
      library.base = next_;
      library.size = 4096;
      library.name = library.path = name;
      library.version = "9.1.0";
      Add(library);
    }
    for (uint32_t id = 1; id <= kSites; ++id) AddStack(id);
  }

  void AddStack(uint32_t id) {
    StackRecord stack;
    stack.id = id;
    stack.count = 8;
    for (uint32_t i = 0; i < stack.count; ++i) {
      stack.frames[i] = 0x400000 + (i < 2 ? id * 64 + i : i);
    }
    writer_->Add(ticket_++, static_cast<uint32_t>(RecordKind::kStack),
                 {reinterpret_cast<const char*>(&stack),
                  8 + stack.count * sizeof(uint64_t)});
  }

  Block Allocate(uint32_t stack, uint64_t bytes) {
    const Block block{next_, bytes};
    next_ += bytes + 512;
    AddMemory(MemoryOp::kAlloc, block, stack, 0);
    return block;
  }

  // A step frees all that it allocates except one small block.
  Status Step() {
    const int64_t begin = Now();
    const uint64_t begin_ticket = ticket_;
    StepBeginRecord step;
    step.begin_ns = begin;
    step.thread = 7;
    step.name = "step";
    if (marks_steps_) Add(step);
    std::vector<Block> live;
    const int64_t pairs = std::min(kEventsAStep, events_ - 1 - made_) / 2;
    for (int64_t i = 0; i < pairs; ++i) {
      live.push_back(
          Allocate(2 + random_() % (kSites - 1), 512 * (1 + random_() % 4096)));
    }
    for (const Block& block : live) AddMemory(MemoryOp::kFree, block, 0, 0);
    Allocate(1, 4 << 20);
    if (marks_steps_) Add(StepEndRecord{begin_ticket, Now()});
    return made_ % kBatch < kEventsAStep ? NextBatch() : Status::Ok();
  }

  Status NextBatch() {
    RETURN_IF_ERROR(writer_->Commit(ticket_));
    return writer_->Begin();
  }

  void Die() {
    AddMemory(MemoryOp::kAlloc, {0, 1 << 30}, 1, 2);
    Add(DeviceMemoryRecord{Now(), 0, 1 << 28, kDeviceBytes, "failure"});
    Add(DeviceProcessRecord{time_, 0, 99, 1 << 20, "other", "failure"});
    ApiErrorRecord error;
    error.time_ns = Now();
    error.result = 2;
    error.api = "driver";
    error.function = "cuMemAlloc_v2";
    error.name = "CUDA_ERROR_OUT_OF_MEMORY";
    Add(error);
    Add(DeviceEventRecord{Now(), -1, 1, "exit", ""});
  }

  TraceWriter* writer_;
  int64_t events_;
  bool marks_steps_;
  int64_t made_ = 0;
  int64_t time_ = 1'000'000'000;
  uint64_t ticket_ = 1;
  uint64_t next_ = 0x7f0000000000;
  std::mt19937_64 random_{20261121};
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) {
    std::fprintf(stderr,
                 "usage: bench_make_trace FILE EVENTS [marked|found]\n");
    return 2;
  }
  auto writer =
      TraceWriter::Open(argv[1], std::numeric_limits<uint64_t>::max());
  Status status = writer.status();
  if (status.ok()) {
    const bool marked = argc < 4 || std::string(argv[3]) == "marked";
    status = Run(&*writer, std::atoll(argv[2]), marked).Write();
  }
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", status.message().c_str());
  return 1;
}
