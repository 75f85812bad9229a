// SPDX-License-Identifier: Apache-2.0
// Threads that allocate and free until the process dies in the way asked for.
// Each call that has returned is acknowledged by one write() of an Event to a
// file, so that a test knows what the trace must hold.
//
//     collector_kill_host ACK THREADS HOW MICROSECONDS
//
// HOW: kill, abort, segv, exit (status 7, the threads still at work), or stop
// (the threads end first, status 7); after that many microseconds of work.
// "copying" is kill, and until then a further thread copies the run's folder
// (INQUEST_DIR) to copy-0, copy-1, copy-0 … as a program does that saves its
// results; copy-N.begun says how many bytes of ACK there were at its beginning.
#include <cuda.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Event {
  uint64_t op;  // 1 allocated, 2 freed, as memory_event.op
  uint64_t address;
};

constexpr size_t kMaxHeld = 64;
constexpr int kStatus = 7;

CUcontext g_context = nullptr;
int g_ack = -1;
std::atomic<bool> g_stop{false};

void Acknowledge(uint64_t op, CUdeviceptr address) {
  const Event event{op, address};
  if (write(g_ack, &event, sizeof event) != sizeof event) _exit(9);
}

void Allocate(std::vector<CUdeviceptr>* held, size_t bytes) {
  CUdeviceptr address = 0;
  if (cuMemAlloc(&address, bytes) != CUDA_SUCCESS) return;
  Acknowledge(1, address);
  held->push_back(address);
}

// The address may be another thread's before our word is written: what counts
// is how often each was freed.
void Free(std::vector<CUdeviceptr>* held, size_t index) {
  const CUdeviceptr address = (*held)[index];
  (*held)[index] = held->back();
  held->pop_back();
  if (cuMemFree(address) == CUDA_SUCCESS) Acknowledge(2, address);
}

void Work(unsigned seed) {
  cuCtxSetCurrent(g_context);
  std::mt19937 random(seed);
  std::vector<CUdeviceptr> held;
  while (!g_stop.load()) {
    const size_t bytes = 512 * (1 + random() % 2000);
    if (held.size() < kMaxHeld && random() % 2 == 0) {
      Allocate(&held, bytes);
    } else if (!held.empty()) {
      Free(&held, random() % held.size());
    }
  }
}

// By open, read and close of each file, in the folder's own order, as
// shutil.copytree does it.
void CopyRuns(const std::string& ack) {
  namespace fs = std::filesystem;
  const char* run = std::getenv("INQUEST_DIR");
  for (int number = 0; run != nullptr && !g_stop.load(); number ^= 1) {
    std::error_code ignored;
    const std::string copy = "copy-" + std::to_string(number);
    fs::remove(copy + ".begun", ignored);
    fs::remove_all(copy, ignored);
    const auto acknowledged = fs::file_size(ack, ignored);
    fs::create_directory(copy, ignored);
    for (const auto& file : fs::directory_iterator(run, ignored)) {
      std::ifstream from(file.path(), std::ios::binary);
      std::ofstream to(copy / file.path().filename(), std::ios::binary);
      to << from.rdbuf();
    }
    std::ofstream(copy + ".begun") << acknowledged;
  }
}

void Die(const std::string& how) {
  if (how == "kill" || how == "copying") raise(SIGKILL);
  if (how == "abort") std::abort();
  if (how == "segv") *static_cast<volatile int*>(nullptr) = 1;
  if (how == "exit") std::exit(kStatus);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  g_ack = open(argv[1], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  const std::string how = argv[3];
  if (g_ack < 0 || cuInit(0) != CUDA_SUCCESS ||
      cuDevicePrimaryCtxRetain(&g_context, 0) != CUDA_SUCCESS) {
    return 9;
  }
  std::vector<std::thread> threads;
  for (int i = 0; i < std::atoi(argv[2]); ++i) threads.emplace_back(Work, i);
  if (how == "copying") threads.emplace_back(CopyRuns, argv[1]);
  usleep(static_cast<useconds_t>(std::atoi(argv[4])));
  Die(how);
  g_stop.store(true);
  for (std::thread& thread : threads) thread.join();
  return kStatus;
}
