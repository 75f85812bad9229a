// SPDX-License-Identifier: Apache-2.0
// A signal handler that uses CUDA on a small alternate stack: signal_stack_host
// BYTES HOW. HOW: first, its first use in a thread; known, the thread has used
// it before; refused, a request that fails. The page below the stack is not
// mapped. Prints how many bytes of the stack were used.
#include <cuda_runtime_api.h>
#include <signal.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "checked_calls.h"

namespace {

constexpr size_t kPage = 4096;
constexpr char kUnused = 0x5a;
std::string g_how;

void Handler(int) {
  void* block = nullptr;
  const size_t bytes = g_how == "refused" ? size_t{1} << 40 : size_t{3} << 20;
  const cudaError_t result = cudaMalloc(&block, bytes);
  if ((result == cudaSuccess) == (g_how == "refused")) std::abort();
  if (block != nullptr) cudaFree(block);
}

// Ends exactly at its end, with a page that is not mapped in front.
char* MakeStack(size_t bytes) {
  const size_t pages = (bytes + kPage - 1) / kPage * kPage;
  char* whole = static_cast<char*>(mmap(nullptr, pages + kPage, PROT_NONE,
                                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  mprotect(whole + kPage, pages, PROT_READ | PROT_WRITE);
  std::fill(whole + kPage, whole + kPage + pages, kUnused);
  return whole + kPage;
}

void Signal(size_t bytes) {
  char* stack = MakeStack(bytes);
  stack_t alternate{};
  alternate.ss_sp = stack;
  alternate.ss_size = bytes;
  Check(sigaltstack(&alternate, nullptr), "sigaltstack");
  struct sigaction action {};
  action.sa_handler = Handler;
  action.sa_flags = SA_ONSTACK;
  Check(sigaction(SIGUSR1, &action, nullptr), "sigaction");
  raise(SIGUSR1);
  const char* used = std::find_if(stack, stack + bytes,
                                  [](char byte) { return byte != kUnused; });
  std::printf("%zu\n", static_cast<size_t>(stack + bytes - used));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const size_t bytes = std::strtoul(argv[1], nullptr, 10);
  g_how = argv[2];
  Take(2 << 20);
  if (g_how == "first") {
    std::thread([=] { Signal(bytes); }).join();
  } else {
    Signal(bytes);
  }
  return 0;
}
