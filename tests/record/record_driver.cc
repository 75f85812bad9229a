// SPDX-License-Identifier: Apache-2.0
// record_driver [-o DIR] [--collector FILE] [--no-collector] [--report FILE]
//               [--console-bytes N] -- COMMAND…
// The runner without the rest of the program. Writes what it returned to
// --report and ends as the command did.
#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "cli/record/record.h"

namespace {

using inquest::record::RecordResult;

void Report(const std::string& path, const RecordResult& result) {
  FILE* file = fopen(path.c_str(), "w");
  if (file == nullptr) return;
  fmt::print(file,
             "exit_code={}\nsignal={}\nstarted={}\ndied={}\ndirectory={}\n"
             "collector_used={}\ntouched_gpu={}\n",
             result.exit_code, result.signal, result.started, result.died,
             result.directory, result.collector_used, result.touched_gpu);
  fclose(file);
}

}  // namespace

int main(int argc, char** argv) {
  inquest::record::RecordOptions options;
  std::string report;
  int i = 1;
  for (; i < argc && std::string(argv[i]) != "--"; ++i) {
    const std::string argument = argv[i];
    if (argument == "--no-collector") {
      options.collector = false;
    } else if (i + 1 < argc && argument == "-o") {
      options.directory = argv[++i];
    } else if (i + 1 < argc && argument == "--collector") {
      options.collector_path = argv[++i];
    } else if (i + 1 < argc && argument == "--console-bytes") {
      options.console_bytes = std::stoull(argv[++i]);
    } else if (i + 1 < argc && argument == "--report") {
      report = argv[++i];
    } else {
      fmt::print(stderr, "record_driver: unknown argument {}\n", argument);
      return 2;
    }
  }
  for (++i; i < argc; ++i) options.command.emplace_back(argv[i]);
  auto result = inquest::record::Record(options);
  if (!result.ok()) {
    fmt::print(stderr, "record_driver: {}\n", result.status().message());
    return 2;
  }
  if (!report.empty()) Report(report, *result);
  inquest::record::ExitLike(*result);
}
