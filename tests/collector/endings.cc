// SPDX-License-Identifier: Apache-2.0
// Touches CUDA (one allocation of 1 MiB), then ends as its argument says:
// exit N, _exit N, quick_exit N, return N, abort, segv, kill9, handled,
// sigterm, fork, exec, thread, stop, late. Says "ready" first.
#include <cuda.h>
#include <dlfcn.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace {

CUdeviceptr g_block = 0;

void Touch() {
  CUcontext context = nullptr;
  if (cuInit(0) != CUDA_SUCCESS ||
      cuDevicePrimaryCtxRetain(&context, 0) != CUDA_SUCCESS ||
      cuCtxSetCurrent(context) != CUDA_SUCCESS ||
      cuMemAlloc(&g_block, 1 << 20) != CUDA_SUCCESS) {
    std::fprintf(stderr, "no GPU\n");
    std::exit(9);
  }
}

void OwnHandler(int) {
  std::printf("handled\n");
  std::fflush(stdout);
  _exit(42);
}

bool OtherThreadsSleep() {
  for (const auto& task :
       std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream file(task.path() / "stat");
    std::string stat;
    std::getline(file, stat);
    const size_t state = stat.rfind(") ");  // behind the name
    const bool own = task.path().filename() == std::to_string(gettid());
    if (!own && state != stat.npos && stat[state + 2] != 'S') return false;
  }
  return true;
}

// A record that another thread is just writing would be lost, and counted: the
// collector's own thread notes libraries and devices at first.
void WaitForOtherThreads() {
  for (int in_a_row = 0, tries = 0; in_a_row < 5 && tries < 2000; ++tries) {
    in_a_row = OtherThreadsSleep() ? in_a_row + 1 : 0;
    usleep(1000);
  }
}

// Registered before the collector's own handler, so called after it.
void LoadLate() {
  if (dlopen("libcudnn_cnn.so.9", RTLD_NOW) == nullptr) _exit(9);
}

// A child that forks first and touches CUDA then has a trace of its own; one
// that does not leaves none. Both must end like any other child.
int Fork() {
  const pid_t quiet = fork();
  if (quiet == 0) std::exit(5);
  const pid_t busy = fork();
  if (busy == 0) {
    cuMemAlloc(&g_block, 2 << 20);
    std::exit(6);
  }
  int first = 0;
  int second = 0;
  waitpid(quiet, &first, 0);
  waitpid(busy, &second, 0);
  std::printf("children %d %d\n", WEXITSTATUS(first), WEXITSTATUS(second));
  cuMemAlloc(&g_block, 3 << 20);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "";
  const int status = argc > 2 ? std::atoi(argv[2]) : 0;
  if (how == "late") std::atexit(LoadLate);
  if (how == "handled") signal(SIGSEGV, OwnHandler);
  Touch();
  std::printf("ready\n");
  std::fflush(stdout);
  if (how == "exit") std::exit(status);
  if (how == "_exit") {
    WaitForOtherThreads();
    _exit(status);
  }
  if (how == "quick_exit") std::quick_exit(status);
  if (how == "return" || how == "late") return status;
  if (how != "fork" && how != "exec" && how != "thread" && how != "stop") {
    WaitForOtherThreads();
  }
  if (how == "abort") std::abort();
  if (how == "segv") raise(SIGSEGV);
  if (how == "fault") *static_cast<volatile int*>(nullptr) = 1;
  if (how == "handled") raise(SIGSEGV);
  if (how == "kill9") raise(SIGKILL);
  if (how == "sigterm") raise(SIGTERM);
  if (how == "fork") return Fork();
  if (how == "exec") execl("/bin/sh", "sh", "-c", "exit 7", nullptr);
  if (how == "thread") {
    std::thread([] { std::exit(8); }).join();
  }
  if (how == "stop") pause();
  return 3;
}
