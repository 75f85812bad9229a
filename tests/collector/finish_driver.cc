// SPDX-License-Identifier: Apache-2.0
// collector_finish TRACE [COPY]: FinishTrace for the Python tests. Prints its
// result as "key value" lines. If the trace was finished in a private copy,
// that is kept as COPY.
#include <cstdio>
#include <filesystem>

#include "trace/store/finish.h"

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) return 2;
  auto result = inquest::trace::FinishTrace(argv[1]);
  if (!result.ok()) {
    std::fprintf(stderr, "%s\n", result.status().message().c_str());
    return 1;
  }
  std::printf("had_journal %d\nprocess_alive %d\nclean_end %d\n",
              result->had_journal, result->process_alive, result->clean_end);
  std::printf("nothing_yet %d\n", result->nothing_yet);
  std::printf("recovered %llu\ntorn %llu\n",
              static_cast<unsigned long long>(result->recovered),
              static_cast<unsigned long long>(result->torn));
  if (result->copy != nullptr && argc == 3) {
    std::filesystem::copy_file(result->copy->trace_path(), argv[2]);
  }
  return 0;
}
