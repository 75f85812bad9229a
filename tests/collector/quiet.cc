// SPDX-License-Identifier: Apache-2.0
// A program that has nothing to do with GPUs.
#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  std::printf("to stdout %s\n", argc > 1 ? argv[1] : "");
  std::fprintf(stderr, "to stderr\n");
  return argc > 1 ? std::atoi(argv[1]) : 0;
}
