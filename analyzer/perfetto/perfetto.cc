// SPDX-License-Identifier: Apache-2.0
#include "analyzer/perfetto/perfetto.h"

#include <fmt/format.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analyzer/perfetto/process_tracks.h"
#include "analyzer/perfetto/track_writer.h"
#include "base/database.h"

namespace inquest::perfetto {
namespace {

// Above the pids of Linux: for a process whose pid another one has already, as
// on another node.
constexpr int64_t kInventedPids = 1'000'000'000;

struct Process {
  int64_t process = 0;
  int64_t pid = 0;
  std::optional<int64_t> rank;
  std::string host, command, executable;
  int64_t start = 0;
};

Expected<std::vector<Process>> Processes(facts::Store* store) {
  ASSIGN_OR_RETURN(
      Statement rows,
      store->db().Prepare("SELECT process, pid, rank, host, command, "
                          "executable, start_time FROM process ORDER BY rank "
                          "IS NULL, rank, process"));
  std::vector<Process> all;
  Process one;
  while (rows.Next(&one.process, &one.pid, &one.rank, &one.host, &one.command,
                   &one.executable, &one.start)) {
    all.push_back(one);
  }
  if (!rows.status().ok()) return rows.status();
  return all;
}

std::string NameOf(const Process& one) {
  const std::string program =
      one.executable.substr(one.executable.rfind('/') + 1);
  std::string name =
      one.rank ? fmt::format("rank {} ({})", *one.rank, program) : program;
  if (!one.host.empty()) name += " on " + one.host;
  return name;
}

}  // namespace

Expected<Written> Export(facts::Store* store, const Options& options,
                         const Sink& sink) {
  ASSIGN_OR_RETURN(const std::vector<Process> processes, Processes(store));
  if (processes.empty()) {
    return Usage(
               "there is no trace among the inputs, and Perfetto shows "
               "traces only")
        .WithHint("record the run: inquest record -- python3 train.py");
  }
  TrackWriter writer(sink);
  Written written;
  writer.Begin(processes.front().start);
  std::set<int64_t> pids;
  for (const Process& one : processes) {
    const int64_t pid =
        pids.insert(one.pid).second ? one.pid : kInventedPids + one.process;
    const ProcessTracks tracks{store, &writer, static_cast<int>(one.process),
                               writer.AddProcess(pid, NameOf(one), one.command),
                               options};
    RETURN_IF_ERROR(WriteMemory(tracks, &written));
    RETURN_IF_ERROR(WriteFacts(tracks));
  }
  RETURN_IF_ERROR(writer.Finish());
  written.packets = writer.packets();
  written.bytes = writer.bytes();
  return written;
}

}  // namespace inquest::perfetto
