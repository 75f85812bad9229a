// SPDX-License-Identifier: Apache-2.0
// Dies of memory/leak: RememberLoss keeps one allocation a step for ever, all
// others are freed. With --ack FILE each allocation and each free is noted in
// FILE with one write() after it happened, so that a test which kills the
// process can compare what was made with what was recorded.
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

#include "common/check.h"
#include "common/options.h"
#include "common/training.h"

namespace samples {
namespace {

std::atomic<long> g_events{0};
int g_ack = -1;

// "number operation address size"; the number counts completed events.
void Acknowledge(const char* operation, const void* address, size_t bytes) {
  const long number = ++g_events;
  if (g_ack < 0) return;
  char line[96];
  const int length = std::snprintf(line, sizeof line, "%ld %s %p %zu\n", number,
                                   operation, address, bytes);
  if (write(g_ack, line, static_cast<size_t>(length)) != length) {
    std::perror("leaking_loop: --ack");
    std::exit(1);
  }
}

void* Take(size_t bytes) {
  void* memory = nullptr;
  CHECK_CUDA(cudaMalloc(&memory, bytes));
  Acknowledge("alloc", memory, bytes);
  return memory;
}

void Release(void* memory, size_t bytes) {
  CHECK_CUDA(cudaFree(memory));
  Acknowledge("free", memory, bytes);
}

class History {
 public:
  // The leak: the loss is kept with the whole graph that produced it.
  __attribute__((noinline)) void RememberLoss(size_t bytes) {
    void* graph = Take(bytes);
    const std::lock_guard lock(mutex_);
    losses_.push_back(graph);
  }

 private:
  std::mutex mutex_;
  std::vector<void*> losses_;
};

void Step(History* history, size_t activation, size_t leak) {
  void* input = Take(activation);
  void* output = Take(activation);
  history->RememberLoss(leak);
  Release(output, activation);
  Release(input, activation);
}

}  // namespace
}  // namespace samples

int main(int argc, char** argv) {
  using namespace samples;
  Options options(argc, argv, "leaks one allocation a step until it dies");
  const long steps = options.Number("--steps", 100000, "steps at most");
  size_t leak = options.Bytes("--leak", 0, "bytes leaked in a step");
  const long threads = options.Number("--threads", 1, "threads that train");
  const std::string ack = options.Text("--ack", "", "file for event numbers");
  options.Finish();

  const DeviceInfo device = OpenDevice();
  if (leak == 0) leak = device.total / 100;
  if (!ack.empty()) {
    g_ack = open(ack.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (g_ack < 0) {
      std::perror("leaking_loop: --ack");
      return 2;
    }
  }
  History history;
  const size_t activation = device.total / 32;
  std::vector<std::thread> others;
  for (long i = 1; i < threads; ++i) {
    others.emplace_back([&] {
      for (long step = 0; step < steps; ++step) {
        Step(&history, activation / static_cast<size_t>(threads), leak);
      }
    });
  }
  TrainingLoop(steps, 10, [&](long) {
    Step(&history, activation / static_cast<size_t>(threads), leak);
  });
  for (std::thread& other : others) other.join();
  std::printf("done: %ld events\n", g_events.load());
  return 0;
}
