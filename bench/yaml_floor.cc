// SPDX-License-Identifier: Apache-2.0
// The floor of loading rule files: yaml-cpp's own parse of them, without using
// the result. Usage: bench_yaml_floor FILE...
#include <yaml-cpp/yaml.h>

#include <cstdio>
#include <fstream>
#include <sstream>

int main(int argc, char** argv) {
  size_t documents = 0;
  for (int i = 1; i < argc; ++i) {
    std::ostringstream text;
    text << std::ifstream(argv[i]).rdbuf();
    documents += YAML::LoadAll(text.str()).size();
  }
  std::printf("%zu documents\n", documents);
  return documents == static_cast<size_t>(argc) - 1 ? 0 : 1;
}
