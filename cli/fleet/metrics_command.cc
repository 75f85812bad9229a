// SPDX-License-Identifier: Apache-2.0
// `inquest fleet metrics`: the fleet for Prometheus.
#include <sys/stat.h>

#include "analyzer/fleet/reports/metrics.h"
#include "cli/fleet/fleet_commands.h"
#include "cli/private_file.h"

namespace inquest::cli {
namespace {

struct MetricsOptions {
  FleetPlace place;
  std::string output = "-";
  int64_t jobs = 200;
};

// node_exporter, which reads it, has another user.
Status WriteForAll(const std::string& path, const std::string& text) {
  RETURN_IF_ERROR(WritePrivateFile(path, text));
  chmod(path.c_str(), 0644);
  return Status::Ok();
}

int RunMetrics(const MetricsOptions& options) {
  auto db = OpenFleetAt(options.place, false);
  if (!db.ok()) return Fail(db.status());
  const auto text = fleet::Metrics(db->get(), options.jobs);
  if (!text.ok()) return Fail(text.status());
  if (options.output == "-") {
    Print(*text);
    return kDone;
  }
  const Status status = WriteForAll(options.output, *text);
  return status.ok() ? kDone : Fail(status);
}

}  // namespace

void AddFleetMetrics(Command fleet) {
  auto options = std::make_shared<MetricsOptions>();
  const Command command =
      fleet.Add("metrics", "Counters for node_exporter's textfile collector");
  AddFleetPlace(command, &options->place);
  command
      .Takes("-o,--output", &options->output,
             "File to write, at once or not at all: "
             "…/textfile_collector/inquest.prom; - is standard output")
      .ShowDefault();
  command
      .Takes("--jobs", &options->jobs,
             "How many of the last jobs get counters of their own")
      .Between(0, 100'000)
      .ShowDefault();
  command.Run([options] { return RunMetrics(*options); });
}

}  // namespace inquest::cli
