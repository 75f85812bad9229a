// SPDX-License-Identifier: Apache-2.0
#include "core/shared_usage.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

#include "core/config.h"

namespace simgpu {
namespace {

constexpr int kSlots = 128;
constexpr int kDevices = 8;
constexpr uint64_t kMagic = 0x31555047'4d495351;

// Start time in clock ticks (field 22 of /proc/PID/stat), 0 when gone.
uint64_t StartTicks(unsigned pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  if (!std::getline(stat, text)) return 0;
  const size_t close = text.rfind(')');
  if (close == std::string::npos) return 0;
  std::istringstream rest(text.substr(close + 1));
  std::string field;
  for (int i = 3; i <= 22 && rest >> field; ++i) {
    if (i == 3 && field == "Z") return 0;  // a zombie's memory is free
  }
  return std::strtoull(field.c_str(), nullptr, 10);
}

std::string OwnName() {
  std::ifstream comm("/proc/self/comm");
  std::string name;
  std::getline(comm, name);
  return name;
}

}  // namespace

struct SharedUsage::Slot {
  std::atomic<unsigned> pid;
  std::atomic<uint64_t> start;
  std::atomic<uint64_t> bytes[kDevices];
  char name[64];
};

struct SharedUsage::File {
  std::atomic<uint64_t> magic;
  Slot slots[kSlots];
};

SharedUsage& SharedUsage::Get() {
  static SharedUsage* usage = new SharedUsage;
  return *usage;
}

SharedUsage::SharedUsage() {
  const std::string& path = GetConfig().shared_path;
  if (path.empty() || Map(path)) return;
  std::fprintf(stderr,
               "simgpu: SIMGPU_SHARED=\"%s\": %s; this process is alone on "
               "the device\n",
               path.c_str(), std::strerror(errno));
}

bool SharedUsage::Map(const std::string& path) {
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0) return false;
  struct stat info {};
  const bool sized = fstat(fd, &info) == 0 &&
                     (info.st_size >= static_cast<off_t>(sizeof(File)) ||
                      ftruncate(fd, sizeof(File)) == 0);
  void* mapped = sized ? mmap(nullptr, sizeof(File), PROT_READ | PROT_WRITE,
                              MAP_SHARED, fd, 0)
                       : MAP_FAILED;
  close(fd);
  if (mapped == MAP_FAILED) return false;
  auto* file = static_cast<File*>(mapped);
  uint64_t unset = 0;
  if (!file->magic.compare_exchange_strong(unset, kMagic) && unset != kMagic) {
    munmap(mapped, sizeof(File));
    errno = EINVAL;  // not our file: left unchanged
    return false;
  }
  file_ = file;
  return true;
}

void SharedUsage::ClearDead() {
  for (Slot& slot : file_->slots) {
    unsigned pid = slot.pid.load();
    if (pid == 0 || slot.start.load() == StartTicks(pid)) continue;
    for (auto& bytes : slot.bytes) bytes.store(0);
    slot.pid.compare_exchange_strong(pid, 0);
  }
}

SharedUsage::Slot* SharedUsage::Claim() {
  ClearDead();
  const unsigned self = static_cast<unsigned>(getpid());
  for (Slot& slot : file_->slots) {
    unsigned none = 0;
    if (!slot.pid.compare_exchange_strong(none, self)) continue;
    slot.start.store(StartTicks(self));
    std::snprintf(slot.name, sizeof slot.name, "%s", OwnName().c_str());
    return &slot;
  }
  return nullptr;  // more than 128 processes: this one is not listed
}

void SharedUsage::SetOwn(int device, uint64_t bytes) {
  if (file_ == nullptr || device < 0 || device >= kDevices) return;
  if (own_ == nullptr) own_ = Claim();
  if (own_ != nullptr) own_->bytes[device].store(bytes);
}

uint64_t SharedUsage::Others(int device, bool check_alive) {
  if (file_ == nullptr || device < 0 || device >= kDevices) return 0;
  if (check_alive) ClearDead();
  uint64_t sum = 0;
  for (Slot& slot : file_->slots) {
    if (&slot != own_ && slot.pid.load() != 0) sum += slot.bytes[device].load();
  }
  return sum;
}

std::vector<ProcessUsage> SharedUsage::List(int device) {
  std::vector<ProcessUsage> list;
  if (file_ == nullptr || device < 0 || device >= kDevices) return list;
  ClearDead();
  for (Slot& slot : file_->slots) {
    const unsigned pid = slot.pid.load();
    const uint64_t bytes = slot.bytes[device].load();
    if (pid != 0 && bytes != 0) list.push_back({pid, bytes, slot.name});
  }
  return list;
}

void SharedUsage::Leave() {
  if (own_ == nullptr) return;
  for (auto& bytes : own_->bytes) bytes.store(0);
  own_->pid.store(0);
  own_ = nullptr;
}

}  // namespace simgpu
