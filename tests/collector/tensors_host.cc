// SPDX-License-Identifier: Apache-2.0
// Loads a stand-in for PyTorch's allocator as Python would (RTLD_LOCAL) and has
// it do something; see c10/c10_cuda.cc:
//
//     tensors_host DIRECTORY HOW [COUNT]
//
// Prints at the end what has arrived in the stand-in for libc10.so.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string>

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::string path = std::string(argv[1]) + "/libc10_cuda.so";
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  const auto run = reinterpret_cast<int (*)(const char*, long)>(
      dlsym(library, "C10CudaRun"));
  const auto print =
      reinterpret_cast<void (*)()>(dlsym(library, "C10PrintReports"));
  const int status = run(argv[2], argc > 3 ? std::atol(argv[3]) : 0);
  print();
  return status;
}
