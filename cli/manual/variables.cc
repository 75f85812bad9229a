// SPDX-License-Identifier: Apache-2.0
// The environment variables of ours; collector/core/config.h reads most of
// them. A test looks for others in the sources.
#include "cli/manual/pages.h"

namespace inquest::cli {

const std::vector<EnvironmentVariable>& EnvironmentVariables() {
  static const auto* variables = new std::vector<EnvironmentVariable>{
      {"INQUEST", "off: the collector is loaded and does nothing."},
      {"INQUEST_COLLECTOR",
       "The libinquest_collector.so that `record` and `doctor` use; without it "
       "the one beside the program."},
      {"INQUEST_CUPTI",
       "Path of the libcupti that the collector uses, or off: no memory of "
       "the device is recorded. Without it the loaded one, the one beside "
       "libcudart, or what the dynamic linker finds."},
      {"INQUEST_DIR",
       "Directory of the run, for a program that is started with LD_PRELOAD "
       "(default: inquest-<pid> in the working directory of the first "
       "process). `record` sets it."},
      {"INQUEST_FLEET",
       "Where `fleet` keeps results: a file for SQLite, or a connection string "
       "for PostgreSQL."},
      {"INQUEST_JOURNAL_SIZE",
       "Size of the first segment of a process's journal (default: 4m)."},
      {"INQUEST_MAX_DISK",
       "What the files of a process may take together (default: 1g, at least "
       "1m): older memory events are folded into totals to stay within it."},
      {"INQUEST_SAMPLE_SECONDS",
       "Seconds between samples by NVML (default: 10; 0: none)."},
      {"INQUEST_STACKS",
       "Which call stacks memory events get: on (default), native, python, "
       "off, or all: as on, and also those of calls that free memory."},
      {"INQUEST_SYSTEM_ROOT",
       "For tests: the folder whose /proc, /sys, /dev and /etc are looked at "
       "for the driver and for limits."},
      {"INQUEST_TENSORS",
       "Blocks of PyTorch's allocator: on (default; those of 1 MiB and more "
       "with their lines of Python), off, bare (without stacks), stacks (each "
       "with both)."},
      {"NO_COLOR", "If it is set and not empty, the output has no colours."},
      {"TMPDIR",
       "Folder of temporary files; the analysis of a large run takes about "
       "the size of its trace there."},
  };
  return *variables;
}

std::string EnvironmentMarkdown() {
  std::string page =
      "# Environment variables\n\nMade by `inquest manual --print "
      "environment`. Sizes are bytes, with the suffix k, m or g for 1024, "
      "1024² or 1024³. A value that\ncannot be read counts as not set.\n\n"
      "| variable | meaning |\n| --- | --- |\n";
  for (const EnvironmentVariable& one : EnvironmentVariables()) {
    page += std::string("| `") + one.name + "` | " + one.meaning + " |\n";
  }
  return page;
}

}  // namespace inquest::cli
