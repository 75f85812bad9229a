// SPDX-License-Identifier: Apache-2.0
#include "authoring/ruletests/allocations.h"

#include <algorithm>
#include <cstring>

#include "authoring/ruletests/block_space.h"
#include "base/units.h"
#include "trace/records/codec.h"
#include "trace/records/event.h"
#include "trace/records/records.h"
#include "trace/store/trace_writer.h"

namespace inquest::ruletests {
namespace {

using trace::MemoryKind;
using trace::MemoryOp;

constexpr int64_t kStart = 1'000'000'000'000;         // monotonic, ns
constexpr int64_t kWall = 1'800'000'000'000'000'000;  // at kStart
constexpr int64_t kTick = 1'000'000;                  // between two events
constexpr int kOutOfMemory = 2;                       // CUresult

MemoryKind KindOf(const std::string& name) {
  if (name == "managed") return MemoryKind::kManaged;
  if (name == "async") return MemoryKind::kAsync;
  if (name == "host") return MemoryKind::kHost;
  return MemoryKind::kDevice;
}

class Player {
 public:
  explicit Player(const Process& process) : process_(process) {
    for (int64_t i = 0; i < process.devices; ++i) {
      spaces_.emplace_back(process.device_bytes - process.other_bytes);
    }
  }

  Status Play(const std::string& path);
  SiteNames TakeSites() { return std::move(sites_); }

 private:
  struct Block {
    int64_t device;
    uint64_t address;
  };

  template <typename Record>
  void Write(Record record);
  void Memory(MemoryOp op, MemoryKind kind, int64_t device, uint64_t address,
              int64_t bytes, int result, const std::string& site);
  uint32_t Stack(const std::string& site);
  void Introduce();
  void Look(std::string_view reason);
  // False if the request was refused: the process ends.
  bool Allocate(const Series& series, int64_t bytes, std::vector<Block>* into);
  void Free(const std::vector<Block>& blocks);
  void Refuse(MemoryKind kind, int64_t device, int64_t bytes,
              const std::string& site);
  bool Hold(const Series& series);
  bool Step(int64_t step);
  bool SeriesStep(const Series& series, std::vector<Block>* to_free);
  Status Fail(const Refused& fail);

  const Process& process_;
  trace::TraceWriter writer_;
  std::vector<BlockSpace> spaces_;
  std::vector<Block> kept_;
  SiteNames sites_;
  uint64_t ticket_ = 1;
  int64_t now_ = kStart;
};

template <typename Record>
void Player::Write(Record record) {
  trace::Encoder encoder;
  record.Fields(encoder);
  writer_.Add(ticket_++, static_cast<uint32_t>(Record::kKind), encoder.bytes());
}

uint32_t Player::Stack(const std::string& site) {
  if (site.empty()) return 0;
  const auto known = std::find(sites_.begin(), sites_.end(), site);
  const auto id = static_cast<uint32_t>(known - sites_.begin()) + 1;
  if (known != sites_.end()) return id;
  sites_.push_back(site);
  trace::StackRecord record;
  record.id = id;
  record.count = 1;
  record.frames[0] = id;  // named by SiteNames, not by its address
  writer_.Add(ticket_++, static_cast<uint32_t>(trace::RecordKind::kStack),
              {reinterpret_cast<const char*>(&record), sizeof record});
  return id;
}

void Player::Memory(MemoryOp op, MemoryKind kind, int64_t device,
                    uint64_t address, int64_t bytes, int result,
                    const std::string& site) {
  trace::MemoryRecord record;
  record.stack = Stack(site);
  record.time_ns = now_ += kTick;
  record.address = address;
  record.bytes = static_cast<uint64_t>(bytes);
  record.context = 1;
  record.thread = static_cast<uint32_t>(process_.pid);
  record.device = static_cast<int8_t>(device);
  record.SetCall(op, kind, result);
  writer_.Add(ticket_++, static_cast<uint32_t>(trace::RecordKind::kMemory),
              {reinterpret_cast<const char*>(&record), sizeof record});
}

void Player::Introduce() {
  Write(trace::ClockAnchorRecord{kStart, kWall});
  trace::ProcessRecord process;
  process.pid = process_.pid;
  process.parent_pid = 1;
  process.start_ns = kStart;
  process.host = "testhost";
  process.executable = "/usr/bin/python3";
  process.command = "python train.py";
  if (process_.rank) process.rank = *process_.rank;
  Write(process);
  for (int64_t i = 0; i < process_.devices; ++i) {
    const std::string uuid = "GPU-" + std::to_string(i);
    trace::DeviceRecord device;
    device.ordinal = i;
    device.total_bytes = process_.device_bytes;
    device.name = process_.gpu;
    device.uuid = uuid;
    device.pci = "0000:00:00.0";
    device.compute_capability = "8.0";
    Write(device);
  }
  Write(trace::CoverageRecord{kStart, "cupti", "on", ""});
}

// Records the driver's figures of the devices, and other processes on them.
void Player::Look(std::string_view reason) {
  for (int64_t i = 0; i < process_.devices; ++i) {
    const auto& space = spaces_[static_cast<size_t>(i)];
    Write(trace::DeviceMemoryRecord{now_, i, space.FreeBytes(),
                                    process_.device_bytes, reason});
    if (process_.other_bytes > 0) {
      Write(trace::DeviceProcessRecord{now_, i, process_.other_pid,
                                       process_.other_bytes,
                                       process_.other_name, reason});
    }
  }
}

void Player::Refuse(MemoryKind kind, int64_t device, int64_t bytes,
                    const std::string& site) {
  const int64_t where = kind == MemoryKind::kHost ? -1 : device;
  Memory(MemoryOp::kAlloc, kind, where, 0, bytes, kOutOfMemory, site);
  Look("failure");
}

bool Player::Allocate(const Series& series, int64_t bytes,
                      std::vector<Block>* into) {
  auto& space = spaces_[static_cast<size_t>(series.device)];
  const auto address = space.Allocate(bytes);
  if (!address) {
    Refuse(MemoryKind::kDevice, series.device, bytes, series.site);
    return false;
  }
  Memory(MemoryOp::kAlloc, MemoryKind::kDevice, series.device, *address, bytes,
         0, series.site);
  into->push_back({series.device, *address});
  return true;
}

void Player::Free(const std::vector<Block>& blocks) {
  for (const Block& block : blocks) {
    spaces_[static_cast<size_t>(block.device)].Free(block.address);
    Memory(MemoryOp::kFree, MemoryKind::kDevice, block.device, block.address, 0,
           0, "");
  }
}

bool Player::Hold(const Series& series) {
  if (series.hold == 0) return true;
  std::vector<Block> freed;
  for (int64_t i = 1; i <= series.pieces; ++i) {
    const bool goes = series.free_every > 0 && i % series.free_every == 0;
    if (!Allocate(series, series.hold, goes ? &freed : &kept_)) return false;
  }
  Free(freed);
  return true;
}

bool Player::SeriesStep(const Series& series, std::vector<Block>* to_free) {
  if (series.scratch > 0 && !Allocate(series, series.scratch, to_free)) {
    return false;
  }
  if (series.free > 0 && !Allocate(series, series.free, to_free)) return false;
  const int64_t stays = series.grow - series.free;
  return stays <= 0 || Allocate(series, stays, &kept_);
}

bool Player::Step(int64_t step) {
  trace::StepBeginRecord begin;
  begin.begin_ns = now_ += kTick;
  begin.name = "step";
  const uint64_t ticket = ticket_;
  Write(begin);
  std::vector<Block> to_free;
  for (const Series& series : process_.series) {
    const int64_t last =
        series.steps > 0 ? series.from + series.steps : process_.steps;
    if (step < series.from || step >= last) continue;
    if (!SeriesStep(series, &to_free)) return false;
  }
  Free(to_free);
  Write(trace::StepEndRecord{ticket, now_ += kTick});
  return true;
}

Status Player::Fail(const Refused& fail) {
  const MemoryKind kind = KindOf(fail.kind);
  auto& space = spaces_[static_cast<size_t>(fail.device)];
  if (kind != MemoryKind::kHost) {
    if (const auto granted = space.Allocate(fail.bytes)) {
      return Usage("'fail' asks for " + FormatBytes(fail.bytes) +
                   ", which would have been granted")
          .WithHint("let the series take more, or request more");
    }
  }
  Refuse(kind, fail.device, fail.bytes, fail.site);
  if (!fail.survived) return Status::Ok();
  Free(kept_);
  kept_.clear();
  const auto address = space.Allocate(fail.bytes);
  if (!address) {
    return Usage("'fail' cannot be survived: the device is too small for it");
  }
  Memory(MemoryOp::kAlloc, kind, fail.device, *address, fail.bytes, 0,
         fail.site);
  return Status::Ok();
}

Status Player::Play(const std::string& path) {
  ASSIGN_OR_RETURN(writer_, trace::TraceWriter::Open(path, UINT64_MAX));
  RETURN_IF_ERROR(writer_.Begin());
  Introduce();
  Look("start");
  bool alive = true;
  for (const Series& series : process_.series) alive = alive && Hold(series);
  for (int64_t step = 0; alive && step < process_.steps; ++step) {
    alive = Step(step);
  }
  if (alive) Look("end");
  if (alive && process_.fail) RETURN_IF_ERROR(Fail(*process_.fail));
  if (!alive && process_.fail) {
    return Usage("the device is full before 'fail' is reached")
        .WithHint(
            "remove 'fail': a request that no longer fits is refused anyway");
  }
  RETURN_IF_ERROR(writer_.Commit(ticket_));
  return writer_.Finish("rule test", false, now_);
}

}  // namespace

Expected<SiteNames> WriteTrace(const Process& process,
                               const std::string& path) {
  Player player(process);
  RETURN_IF_ERROR(player.Play(path));
  return player.TakeSites();
}

}  // namespace inquest::ruletests
