// SPDX-License-Identifier: Apache-2.0
// `inquest fleet load`: results, and runs that are diagnosed for it, into the
// fleet's database.
#include <fmt/format.h>

#include <filesystem>
#include <iostream>

#include "analyzer/fleet/results/loader.h"
#include "analyzer/fleet/results/sacct.h"
#include "base/input_file.h"
#include "base/parallel.h"
#include "base/units.h"
#include "cli/fleet/child_diagnosis.h"
#include "cli/fleet/fleet_commands.h"
#include "cli/fleet/result_files.h"

namespace inquest::cli {
namespace {

constexpr size_t kMaxComplaints = 20;  // that are printed one by one
constexpr size_t kRunsAtOnce = 32;     // whose results are held in memory
constexpr size_t kMaxSacct = 1 << 30;

struct LoadOptions {
  std::vector<std::string> paths;
  FleetPlace place;
  ChildOptions child;
  std::string sacct;
  int64_t gpus = 0;
  std::string image, job;
};

std::string Counted(int64_t count, const std::string& what) {
  return FormatCount(count) + " " + what + (count == 1 ? "" : "s");
}

class Loading {
 public:
  Loading(const LoadOptions& options, fleet::FleetDatabase* db)
      : options_(options), loader_(db) {
    if (options.gpus > 0) additions_.gpus = options.gpus;
    if (!options.image.empty()) additions_.image = options.image;
    if (!options.job.empty()) additions_.job = options.job;
  }

  // A result, a folder of results, a run to diagnose, or "-".
  void Take(const std::string& path) {
    const std::vector<std::string> files = ResultsIn(path);
    if (path == "-") {
      EachResult(std::cin, "standard input", Adder());
    } else if (!files.empty()) {
      for (const std::string& file : files) TakeFile(file);
    } else if (std::filesystem::is_regular_file(path) &&
               LooksLikeResult(path)) {
      TakeFile(path);
    } else {
      runs_.push_back(path);
      if (runs_.size() >= kRunsAtOnce) DiagnoseRuns();
    }
  }

  // Those that Take left, in a process each.
  void DiagnoseRuns() {
    std::vector<Expected<std::string>> results(runs_.size(),
                                               Internal("not begun"));
    InParallel(runs_.size(), [&](size_t i) {
      results[i] = DiagnoseInChild(runs_[i], options_.child);
    });
    for (size_t i = 0; i < runs_.size(); ++i) {
      if (results[i].ok()) {
        Adder()(*results[i], runs_[i]);
      } else {
        loader_.Refuse();
        Complain(results[i].status());
      }
    }
    runs_.clear();
  }

  Status TakeSacct(const std::string& path) {
    ASSIGN_OR_RETURN(
        const std::string text,
        ReadInput("the list of jobs", path, Links::kFollow, kMaxSacct));
    auto jobs = fleet::ReadSacct(text);
    if (!jobs.ok()) {
      return Unreadable("'" + path +
                        "' is not output of sacct: " + jobs.status().message())
          .WithHint(jobs.status().hint());
    }
    for (const fleet::JobRow& job : *jobs) RETURN_IF_ERROR(loader_.AddJob(job));
    jobs_ += jobs->size();
    return Status::Ok();
  }

  Status Finish() { return loader_.Finish(); }

  std::string Summary(const std::string& kind) const {
    const fleet::Counts& counts = loader_.counts();
    std::string text = fmt::format(
        "{} with {} {} in {} ({})", Counted(counts.stored, "result"),
        Counted(counts.findings, "finding"), counts.stored == 1 ? "is" : "are",
        ShownPlace(), kind);
    if (counts.known > 0) {
      text += fmt::format("; {} of them were there before",
                          FormatCount(counts.known));
    }
    if (jobs_ > 0) {
      text += fmt::format("; {} jobs of the scheduler",
                          FormatCount(static_cast<int64_t>(jobs_)));
    }
    if (counts.refused > 0) {
      text += fmt::format("; {} refused", FormatCount(counts.refused));
    }
    return text + "\n";
  }

  int exit_code() const {
    const fleet::Counts& counts = loader_.counts();
    if (counts.refused == 0) return kDone;
    return counts.stored == 0 ? kBadUsage : kIncomplete;
  }

 private:
  TakeResult Adder() {
    return [this](const std::string& text, const std::string& source) {
      const Status status = loader_.Add(text, source, additions_);
      if (!status.ok()) Complain(status);
    };
  }

  void TakeFile(const std::string& path) {
    const Status status = EachResultIn(path, Adder());
    if (status.ok()) return;
    loader_.Refuse();
    Complain(status);
  }

  void Complain(const Status& status) {
    if (++complaints_ <= kMaxComplaints) Say({FromStatus(status)});
  }

  // A connection string may have a password.
  std::string ShownPlace() const {
    const std::string& place = options_.place.database;
    return fleet::MeansPostgres(place) ? "the database" : "'" + place + "'";
  }

  const LoadOptions& options_;
  fleet::Additions additions_;
  fleet::Loader loader_;
  std::vector<std::string> runs_;
  size_t complaints_ = 0;
  size_t jobs_ = 0;
};

int RunLoad(LoadOptions* options) {
  if (options->paths.empty() && options->sacct.empty()) {
    options->paths = {"-"};
  }
  auto db = OpenFleetAt(options->place, true);
  if (!db.ok()) return Fail(db.status());
  Loading loading(*options, db->get());
  for (const std::string& path : options->paths) loading.Take(path);
  loading.DiagnoseRuns();
  if (!options->sacct.empty()) {
    const Status status = loading.TakeSacct(options->sacct);
    if (!status.ok()) return Fail(status);
  }
  if (Status status = loading.Finish(); !status.ok()) return Fail(status);
  Print(loading.Summary((*db)->kind()));
  return loading.exit_code();
}

}  // namespace

void AddFleetLoad(Command fleet) {
  auto options = std::make_shared<LoadOptions>();
  const Command command = fleet.Add(
      "load", "Keep results in a database; the same again changes nothing");
  command.Takes("PATH", &options->paths,
                "Results of `diagnose --format json` or ndjson, folders of "
                "them, or runs and logs, which are diagnosed; without any, "
                "NDJSON on standard input");
  AddFleetPlace(command, &options->place);
  command
      .Takes("--sacct", &options->sacct,
             "GPUs and durations of jobs, from `sacct --parsable2 "
             "--allocations "
             "--format=JobID,JobIDRaw,ElapsedRaw,AllocTRES,State,NodeList`")
      .Called("FILE");
  command
      .Takes("--gpus", &options->gpus,
             "How many GPUs each of these runs used, where traces cannot tell")
      .Between(1, 1'000'000);
  command.Takes("--image", &options->image,
                "The container image of these runs");
  command.Takes("--job", &options->job,
                "The scheduler's id of the job, where the run does not say");
  AddChildOptions(command, &options->child);
  command.Run([options] { return RunLoad(options.get()); });
}

}  // namespace inquest::cli
