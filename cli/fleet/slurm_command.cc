// SPDX-License-Identifier: Apache-2.0
// `inquest fleet slurm`: a job array that diagnoses many runs, and a job after
// it that loads the results; or, for one wide job, a step on each of some nodes
// that makes facts of a share of its logs and traces, and a job after it that
// merges them. All are plain files, to be read before use.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/shell_words.h"
#include "base/text.h"
#include "cli/fleet/child_process.h"
#include "cli/fleet/fleet_commands.h"
#include "cli/fleet/shard.h"
#include "cli/private_file.h"

namespace inquest::cli {
namespace {

namespace fs = std::filesystem;

struct SlurmOptions {
  std::vector<std::string> paths;
  std::string list, output, partition, time = "00:30:00";
  FleetPlace place;
  int64_t each = 16;
  int64_t most = 1000;  // MaxArraySize is 1001 unless a site changed it
  int64_t at_once = 8;
  std::string job;    // the folder of one wide job
  int64_t nodes = 4;  // that read it
  bool submit = false;
};

std::string Head(const SlurmOptions& options, const std::string& name,
                 int64_t nodes = 1) {
  std::string text = fmt::format(
      "#!/bin/bash\n#SBATCH --job-name={}\n#SBATCH --nodes={}\n"
      "#SBATCH --ntasks={}\n#SBATCH --time={}\n",
      name, nodes, nodes, options.time);
  if (!options.partition.empty()) {
    text += "#SBATCH --partition=" + options.partition + "\n";
  }
  return text;
}

std::string ThisProgram() {
  std::error_code error;
  const fs::path path = fs::read_symlink("/proc/self/exe", error);
  return error ? "inquest" : path.string();
}

// An element gets several runs: schedulers are slow with many short jobs.
std::string ArrayScript(const SlurmOptions& options, const fs::path& folder,
                        size_t elements) {
  return Head(options, "inquest-diagnose") +
         fmt::format(
             "#SBATCH --array=0-{}%{}\n#SBATCH --output={}\n"
             "# Diagnoses the runs of runs.txt; started again, it goes on "
             "where it ended.\n"
             "exec {} fleet diagnose --list {} --shard "
             "\"$SLURM_ARRAY_TASK_ID/{}\" \\\n  --output {}\n",
             elements - 1, options.at_once, (folder / "array-%a.log").string(),
             ShellQuoted(ThisProgram()),
             ShellQuoted((folder / "runs.txt").string()), elements,
             ShellQuoted((folder / "results").string()));
}

std::string MergeScript(const SlurmOptions& options, const fs::path& folder) {
  std::string place = options.place.database;
  if (!fleet::MeansPostgres(place)) place = fs::absolute(place).string();
  return Head(options, "inquest-load") +
         fmt::format(
             "#SBATCH --output={}\n"
             "# Loads what the array made, also if some of it failed.\n"
             "exec {} fleet load --database {} {}\n",
             (folder / "load.log").string(), ShellQuoted(ThisProgram()),
             ShellQuoted(place), ShellQuoted((folder / "results").string()));
}

// One task a node; the share is the task's number. Facts that are there already
// are not made again.
std::string IngestScript(const SlurmOptions& options, const fs::path& folder) {
  return Head(options, "inquest-ingest", options.nodes) +
         fmt::format(
             "#SBATCH --ntasks-per-node=1\n#SBATCH --output={}\n"
             "# Each node makes facts of its share of the job's files; started "
             "again, it does\n# what is left.\n"
             "exec srun bash -c 'exec \"$0\" ingest \"$1\" --shard "
             "\"$SLURM_PROCID/$SLURM_NTASKS\" \\\n"
             "  -o \"$2/$SLURM_PROCID.facts\"' {} {} {}\n",
             (folder / "ingest.log").string(), ShellQuoted(ThisProgram()),
             ShellQuoted(fs::absolute(options.job).string()),
             ShellQuoted((folder / "facts").string()));
}

std::string VerdictScript(const SlurmOptions& options, const fs::path& folder) {
  return Head(options, "inquest-merge") +
         fmt::format(
             "#SBATCH --output={}\n"
             "# The verdict from the facts of all shares; one that is "
             "missing is named.\n"
             "exec {} merge {} --format json -o {} --verdict {}\n",
             (folder / "merge.log").string(), ShellQuoted(ThisProgram()),
             ShellQuoted((folder / "facts").string()),
             ShellQuoted((folder / "verdict.json").string()),
             ShellQuoted((folder / "verdict.txt").string()));
}

Expected<std::string> Submit(std::vector<std::string> words) {
  words.insert(words.begin(), {"sbatch", "--parsable"});
  ASSIGN_OR_RETURN(const Ended ended,
                   RunToEnd("sbatch", words, std::chrono::seconds(60)));
  if (!ended.in_time) return Unreadable("sbatch did not answer in a minute");
  if (ended.state != 0) {
    return Unreadable("sbatch failed with " + ended.Words() + ": " +
                      std::string(Trim(ended.complaint, " \t\n")));
  }
  // "123" or "123;cluster".
  const std::string_view said = Trim(ended.output, " \t\n");
  return std::string(said.substr(0, said.find(';')));
}

// The second waits for the first: for its end, or for its success.
Status SubmitBoth(const fs::path& first, const fs::path& second,
                  const std::string& what, const std::string& after) {
  ASSIGN_OR_RETURN(const std::string id, Submit({first.string()}));
  ASSIGN_OR_RETURN(
      const std::string next,
      Submit({"--dependency=" + after + ":" + id, second.string()}));
  Print("submitted: " + what + " " + id + ", and " + next + " after it\n");
  return Status::Ok();
}

// Writes both scripts of one wide job, and submits them if that is asked for.
Status PlanJob(const SlurmOptions& options, const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder / "facts", error);
  if (error) {
    return Usage("cannot make the folder '" + folder.string() +
                 "': " + error.message());
  }
  const fs::path ingest = folder / "ingest.sbatch";
  const fs::path merge = folder / "merge.sbatch";
  RETURN_IF_ERROR(WriteFile(ingest.string(), IngestScript(options, folder)));
  RETURN_IF_ERROR(WriteFile(merge.string(), VerdictScript(options, folder)));
  if (options.submit) return SubmitBoth(ingest, merge, "ingest", "afterany");
  Print(fmt::format(
      "wrote {0} ({1} nodes) and {2}\nto submit them:\n  id=$(sbatch "
      "--parsable {0}) && sbatch --dependency=afterany:$id {2}\n",
      ingest.string(), options.nodes, merge.string()));
  return Status::Ok();
}

Expected<std::vector<std::string>> RunsOf(const SlurmOptions& options) {
  std::vector<std::string> paths = options.paths;
  if (!options.list.empty()) {
    ASSIGN_OR_RETURN(const auto listed, ReadPathList(options.list));
    paths.insert(paths.end(), listed.begin(), listed.end());
  }
  if (paths.empty()) return Usage("no runs are named");
  // The jobs run in other folders.
  for (std::string& path : paths) path = fs::absolute(path).string();
  return paths;
}

Status WriteAll(const SlurmOptions& options, const fs::path& folder,
                const std::vector<std::string>& runs, size_t elements) {
  std::error_code error;
  fs::create_directories(folder / "results", error);
  if (error) {
    return Usage("cannot make the folder '" + folder.string() +
                 "': " + error.message());
  }
  std::string list;
  for (const std::string& run : runs) list += run + "\n";
  RETURN_IF_ERROR(WriteFile((folder / "runs.txt").string(), list));
  RETURN_IF_ERROR(WriteFile((folder / "array.sbatch").string(),
                            ArrayScript(options, folder, elements)));
  // A connection string may have a password.
  return WritePrivateFile((folder / "load.sbatch").string(),
                          MergeScript(options, folder));
}

int RunSlurm(const SlurmOptions& options) {
  const fs::path folder = fs::absolute(options.output);
  if (!options.job.empty()) {
    const Status planned = PlanJob(options, folder);
    return planned.ok() ? kDone : Fail(planned);
  }
  const auto runs = RunsOf(options);
  if (!runs.ok()) return Fail(runs.status());
  const auto each = static_cast<size_t>(options.each);
  const size_t wanted = (runs->size() + each - 1) / each;
  const size_t elements = std::min(wanted, static_cast<size_t>(options.most));
  Status status = WriteAll(options, folder, *runs, elements);
  if (!status.ok()) return Fail(status);
  const std::string shown = folder.string();
  if (options.submit) {
    status = SubmitBoth(folder / "array.sbatch", folder / "load.sbatch",
                        "array", "afterany");
    return status.ok() ? kDone : Fail(status);
  }
  Print(fmt::format(
      "wrote {0}/runs.txt, {0}/array.sbatch ({1} elements) and "
      "{0}/load.sbatch\nto submit them:\n  id=$(sbatch --parsable "
      "{0}/array.sbatch) && sbatch --dependency=afterany:$id {0}/load.sbatch\n",
      shown, elements));
  return kDone;
}

}  // namespace

void AddFleetSlurm(Command fleet) {
  auto options = std::make_shared<SlurmOptions>();
  const Command command = fleet.Add(
      "slurm",
      "Write a job array over many runs, and a job that loads them; or the "
      "steps that read one wide job");
  command.Takes("RUN", &options->paths, "Run directories, traces or logs");
  command
      .Takes("--list", &options->list, "A file with more of them, one a line")
      .Called("FILE");
  command
      .Takes(
          "--job", &options->job,
          "Instead of runs, the folder of one job: a step on each of --nodes "
          "nodes makes facts of its share, and a job merges them")
      .Called("JOBDIR");
  command.Takes("--nodes", &options->nodes, "Nodes that read the --job")
      .Between(1, 10'000)
      .ShowDefault();
  command
      .Takes("-o,--output", &options->output,
             "Folder for the scripts and the results, on a shared file system")
      .Required();
  AddFleetPlace(command, &options->place);
  command.Takes("--each", &options->each, "Runs of one element of the array")
      .Between(1, 100'000)
      .ShowDefault();
  command
      .Takes("--elements", &options->most,
             "At most so many elements, whatever they then get each; the "
             "site's MaxArraySize less one")
      .Between(1, 4'000'000)
      .ShowDefault();
  command.Takes("--at-once", &options->at_once, "Elements that run at a time")
      .Between(1, 100'000)
      .ShowDefault();
  command.Takes("--partition", &options->partition, "Slurm's partition");
  command.Takes("--time", &options->time, "Limit of time of each job")
      .ShowDefault();
  command.Flag("--submit", &options->submit, "Submit both with sbatch");
  command.Run([options] { return RunSlurm(*options); });
}

}  // namespace inquest::cli
