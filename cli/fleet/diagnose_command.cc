// SPDX-License-Identifier: Apache-2.0
// `inquest fleet diagnose`: a result file for each of many runs. What was done
// before with the same rules is left alone, so it can be started again.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>

#include "analyzer/fleet/results/read_result.h"
#include "base/input_file.h"
#include "base/parallel.h"
#include "base/units.h"
#include "cli/fleet/child_diagnosis.h"
#include "cli/fleet/fleet_commands.h"
#include "cli/fleet/result_files.h"
#include "cli/fleet/shard.h"
#include "cli/private_file.h"

namespace inquest::cli {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxResult = 512 << 20;
// What Kubernetes takes from /dev/termination-log.
constexpr size_t kMaxVerdict = 4000;

struct FleetDiagnoseOptions {
  std::vector<std::string> paths;
  std::string list, shard, output, verdict;
  bool again = false;
  ChildOptions child;
};

struct Outcome {
  Status status;
  bool done_before = false;
  std::string line;  // the verdict
};

std::string VerdictLineOf(const std::string& path,
                          const fleet::Result& result) {
  const fleet::VerdictRow& verdict = result.verdict;
  return fmt::format("{}: {}: {}", path, verdict.cause,
                     verdict.summary.value_or(verdict.title.value_or("")));
}

// By the same rules, and not older than the run.
bool IsDone(const std::string& file, const std::string& path,
            const std::string& rules, std::string* line) {
  std::error_code error;
  const auto made = fs::last_write_time(file, error);
  if (error) return false;
  const auto changed = fs::last_write_time(path, error);
  if (error || changed > made) return false;
  const auto text = ReadInput("the result", file, Links::kRefuse, kMaxResult);
  if (!text.ok()) return false;
  const auto result = fleet::ReadResult(*text, file);
  if (!result.ok()) return false;
  *line = VerdictLineOf(path, *result);
  return result->run.rules == rules;
}

class FleetWork {
 public:
  FleetWork(const FleetDiagnoseOptions& options, std::string rules)
      : options_(options), rules_(std::move(rules)) {}

  Outcome Do(const std::string& path) const {
    Outcome outcome;
    const std::string file = ResultFileOf(options_.output, path);
    outcome.done_before =
        !options_.again && IsDone(file, path, rules_, &outcome.line);
    if (!outcome.done_before) outcome.status = Make(path, file, &outcome.line);
    if (!outcome.status.ok()) outcome.line = path + ": not diagnosed";
    return outcome;
  }

 private:
  Status Make(const std::string& path, const std::string& file,
              std::string* line) const {
    ASSIGN_OR_RETURN(const std::string text,
                     DiagnoseInChild(path, options_.child));
    ASSIGN_OR_RETURN(const fleet::Result result, fleet::ReadResult(text, path));
    *line = VerdictLineOf(path, result);
    return WritePrivateFile(file, text);
  }

  const FleetDiagnoseOptions& options_;
  std::string rules_;
};

// In place: the file is often a mount.
Status WriteVerdicts(const std::string& path, std::string text) {
  Shorten(&text, kMaxVerdict);
  std::ofstream out(path, std::ios::trunc);
  out << text;
  out.flush();
  if (out) return Status::Ok();
  return Usage("cannot write '" + path + "'");
}

int Tell(const FleetDiagnoseOptions& options,
         const std::vector<Outcome>& outcomes) {
  size_t failed = 0, before = 0;
  std::string lines;
  for (const Outcome& outcome : outcomes) {
    if (!outcome.status.ok()) {
      ++failed;
      Say({FromStatus(outcome.status)});
    }
    before += outcome.done_before ? 1 : 0;
    lines += outcome.line + "\n";
  }
  Print(lines);
  std::string sum = fmt::format("{} runs: {} diagnosed", outcomes.size(),
                                outcomes.size() - failed - before);
  if (before > 0) sum += fmt::format(", {} were done before", before);
  if (failed > 0) sum += fmt::format(", {} failed", failed);
  Print(sum + "\n");
  if (!options.verdict.empty()) {
    if (outcomes.size() > 1) lines = sum + "\n" + lines;
    const Status status = WriteVerdicts(options.verdict, lines);
    if (!status.ok()) return Fail(status);
  }
  return failed == 0 ? kDone : kIncomplete;
}

Expected<std::vector<std::string>> PathsOf(
    const FleetDiagnoseOptions& options) {
  std::vector<std::string> paths = options.paths;
  if (!options.list.empty()) {
    ASSIGN_OR_RETURN(const auto listed, ReadPathList(options.list));
    paths.insert(paths.end(), listed.begin(), listed.end());
  }
  if (paths.empty()) {
    return Usage("there is nothing to examine")
        .WithHint("name runs or logs, or a file with their paths by --list");
  }
  ASSIGN_OR_RETURN(const Shard shard, ReadShard(options.shard));
  return ShareOf(paths, shard);
}

int RunFleetDiagnose(FleetDiagnoseOptions* options) {
  auto paths = PathsOf(*options);
  if (!paths.ok()) return Fail(paths.status());
  auto rules = ReadRulesForRun(options->child.rules);
  if (!rules.ok()) return Fail(rules.status());
  std::error_code error;
  fs::create_directories(options->output, error);
  if (error) {
    return Fail(Usage("cannot make the folder '" + options->output +
                      "': " + error.message()));
  }
  const FleetWork work(*options, rules->digest);
  std::vector<Outcome> outcomes(paths->size());
  InParallel(paths->size(),
             [&](size_t i) { outcomes[i] = work.Do((*paths)[i]); });
  return Tell(*options, outcomes);
}

}  // namespace

void AddFleetDiagnose(Command fleet) {
  auto options = std::make_shared<FleetDiagnoseOptions>();
  const Command command = fleet.Add(
      "diagnose", "A result file for each run, each in a process of its own");
  command.Takes("RUN", &options->paths, "Run directories, traces or logs");
  command
      .Takes("--list", &options->list, "A file with more of them, one a line")
      .Called("FILE");
  command
      .Takes("--shard", &options->shard,
             "Only a worker's share: 0/16 is the first of sixteen")
      .Called("I/N");
  command.Takes("-o,--output", &options->output, "Folder for the results")
      .Required();
  command.Flag("--again", &options->again,
               "Also those whose result is there, newer than the run and by "
               "the same rules");
  command
      .Takes("--verdict", &options->verdict,
             "File for the verdicts in words, at most 4,000 bytes, as "
             "Kubernetes' /dev/termination-log")
      .Called("FILE");
  AddChildOptions(command, &options->child);
  command.Run([options] { return RunFleetDiagnose(options.get()); });
}

}  // namespace inquest::cli
