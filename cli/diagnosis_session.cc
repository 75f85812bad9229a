// SPDX-License-Identifier: Apache-2.0
#include "cli/diagnosis_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>

#include "analyzer/rules/signatures/signature_set.h"
#include "base/secrets/secrets.h"
#include "cli/imports.h"
#include "cli/job_folder.h"
#include "cli/record/run_info.h"
#include "trace/store/finish.h"

namespace inquest::cli {
namespace {

using diagnosis::Profile;

// Of several exit codes, the most serious is returned.
int MoreSerious(int a, int b) {
  static constexpr std::array<int, 6> kOrder = {
      kDone, kNo, kIncomplete, kBadUsage, kBadRules, kBug};
  const auto rank = [](int code) {
    return std::find(kOrder.begin(), kOrder.end(), code) - kOrder.begin();
  };
  return rank(a) >= rank(b) ? a : b;
}

facts::RunFacts ToFacts(const std::string& directory,
                        const record::RunInfo& info) {
  facts::RunFacts run;
  run.directory = directory;
  // One that an older version recorded may still have secrets.
  for (const std::string& word : MaskCommand(info.command)) {
    run.command += (run.command.empty() ? "" : " ") + word;
  }
  run.host = info.host;
  run.start_time = info.start_ns;
  run.end_time = info.end_ns;
  run.exit_code = info.exit_status;
  run.signal = info.signal;
  run.state = record::StateOf(info);
  if (const auto job = info.job.find("SLURM_JOB_ID"); job != info.job.end()) {
    run.slurm_job = job->second;
  }
  run.collector = !info.collector.empty();
  run.groups_before = info.groups_before;
  run.groups_after = info.groups_after;
  return run;
}

// Progress of a few hundred steps relates the clocks of a thousand ranks as
// well as all of it does of a few, and the facts of a wide job stay small.
int64_t RepeatsOf(size_t logs) {
  constexpr int64_t kInAll = 256'000;
  const int64_t usual = ingest::LogLimits{}.most_repeats;
  const int64_t each =
      kInAll / std::max<int64_t>(static_cast<int64_t>(logs), 1);
  return std::clamp<int64_t>(each, 100, usual);
}

Status NotText(const ingest::LogSource& log) {
  return Unreadable("'" + log.path +
                    "' is not text, and no tool that inquest knows wrote it")
      .WithHint(
          "give a log, a recorded run or a file that `inquest import "
          "--help` lists");
}

Status OnlyBegun(const std::string& trace_path) {
  return Status(StatusCode::kIncomplete,
                "the process that records '" + trace_path +
                    "' has only begun, and nothing is in its trace yet")
      .WithHint("try again in a moment");
}

}  // namespace

void Session::Note(const Status& status) {
  if (first_problem_.ok()) first_problem_ = status;
  problems_.push_back(status);
  diagnostics_.push_back(FromStatus(status));
  exit_code_ = MoreSerious(exit_code_, ExitCodeOf(status));
}

Status Session::ReadInputs(const SessionOptions& options, Inputs* inputs) {
  for (const std::string& path : options.paths) {
    if (Status status = ClassifyPath(path, inputs); !status.ok()) Note(status);
  }
  for (const Status& status : inputs->refused) Note(status);
  inputs->logs.insert(inputs->logs.end(), options.logs.begin(),
                      options.logs.end());
  for (const std::string& source : options.sources) {
    RETURN_IF_ERROR(AddForcedSource(source, inputs));
  }
  if (options.paths.empty() && inputs->logs.empty() && inputs->traces.empty() &&
      inputs->foreign.empty() && inputs->parts.empty()) {
    return Usage("there is nothing to examine")
        .WithHint("name a run directory, or logs with --log FILE");
  }
  RETURN_IF_ERROR(NameUnits(options.rank_pattern, inputs));
  inputs->logs_in_job = inputs->logs.size();
  ReportLeftOut(*inputs);
  if (options.verbose) {
    for (const std::string& line : UnitLines(*inputs)) NoteInput(line);
  }
  return Status::Ok();
}

void Session::NoteInput(const std::string& line) {
  Diagnostic note;
  note.level = Diagnostic::Level::kNote;
  note.message = line;
  diagnostics_.push_back(std::move(note));
}

// A job's folder is full of other things, so they are counted, by reason.
void Session::ReportLeftOut(const Inputs& inputs) {
  std::map<std::string, std::vector<const JobFiles::LeftOut*>> by_reason;
  for (const JobFiles::LeftOut& one : inputs.job.left_out) {
    by_reason[one.why].push_back(&one);
  }
  for (const auto& [why, files] : by_reason) {
    NoteInput(fmt::format(
        "{}{} not read: {}", files.front()->path,
        files.size() == 1 ? "" : fmt::format(" and {} more", files.size() - 1),
        why));
  }
}

Status Session::AddRun(const std::string& directory, facts::Store* store) {
  auto info = record::ReadRunInfo(directory);
  if (!info.ok()) return info.status();
  ++inputs_read_;
  return store->AddRun(ToFacts(directory, *info));
}

Status Session::AddTrace(const std::string& path, facts::Store* store) {
  ASSIGN_OR_RETURN(const trace::TraceFiles files, trace::LookAtTrace(path));
  auto finished = trace::FinishTrace(path);
  if (!finished.ok()) {
    // The current contents of the trace may be enough for a verdict.
    Note(finished.status());
  }
  facts::TraceInput trace{path};
  trace.frozen = !files.ours;
  if (finished.ok()) {
    if (finished->nothing_yet) return OnlyBegun(path);
    trace.alive = finished->process_alive;
    if (finished->copy != nullptr) trace.read_at = finished->copy->trace_path();
  }
  auto process = store->AddTrace(trace);
  if (!process.ok()) return process.status();
  ++inputs_read_;
  return store->TakeDamage();
}

Status Session::AddForeign(const ForeignInput& file, facts::Store* store) {
  const Status status = AttachForeign(file, store, &printed_);
  const bool partly = status.code() == StatusCode::kIncomplete;
  if (status.ok() || partly) ++inputs_read_;
  return status;
}

Status Session::ReadAllLogs(const Inputs& inputs, Progress* progress) {
  rules::SignatureSetOptions options;
  if (profile_ != nullptr) options.profile = &profile_->by_signature;
  // A trace alone has no lines to match; a profile lists what was not tried.
  const bool any =
      !inputs.logs.empty() || !printed_.empty() || profile_ != nullptr;
  if (any) RETURN_IF_ERROR(ReadSignatures(rules_.get()));
  Expected<rules::SignatureSet> compiled = [&] {
    const Timed timed(Stage(profile_, &Profile::compile));
    return any ? rules::SignatureSet::Compile(rules_->set.signatures, options)
               : rules::SignatureSet::Compile({});
  }();
  ASSIGN_OR_RETURN(const rules::SignatureSet signatures, std::move(compiled));
  diagnosis::Logs logs;
  for (const std::string& path : inputs.logs) {
    const auto unit = inputs.units.find(path);
    logs.files.push_back(
        {path, unit == inputs.units.end() ? ingest::LogUnit() : unit->second});
  }
  logs.texts = std::move(printed_);
  logs.limits.most_repeats = RepeatsOf(inputs.logs_in_job);
  logs.on_progress = [progress](const std::string& path, int64_t bytes) {
    progress->Reading(path, bytes);
  };
  RETURN_IF_ERROR(run_.ReadLogs(signatures, logs));
  if (!run_.unread_log().ok()) Note(run_.unread_log());
  for (const ingest::LogSource& log : run_.logs()) {
    if (log.not_text) {
      Note(NotText(log));
      continue;
    }
    if (log.bytes > 0 || log.note.empty()) ++inputs_read_;
    if (log.incomplete) exit_code_ = MoreSerious(exit_code_, kIncomplete);
  }
  return Status::Ok();
}

Status Session::Attach(const Inputs& inputs, facts::Store* store) {
  const auto try_each = [&](const auto& list, auto add) -> Status {
    for (const auto& one : list) {
      if (Status status = (this->*add)(one, store); !status.ok()) Note(status);
      if (makes_part_) RETURN_IF_ERROR(run_.CondenseTraces());
    }
    return Status::Ok();
  };
  RETURN_IF_ERROR(try_each(inputs.run_directories, &Session::AddRun));
  RETURN_IF_ERROR(try_each(inputs.traces, &Session::AddTrace));
  return try_each(inputs.foreign, &Session::AddForeign);
}

Status Session::LoadRules(const RuleOptions& options) {
  const Timed timed(Stage(profile_, &Profile::parse));
  ASSIGN_OR_RETURN(*rules_, ReadRulesForRun(options));
  const Diagnostics& found = rules_->diagnostics;
  diagnostics_.insert(diagnostics_.end(), found.begin(), found.end());
  if (HasErrors(found)) exit_code_ = MoreSerious(exit_code_, kBadRules);
  return Status::Ok();
}

Expected<Session> Session::Open(const SessionOptions& options) {
  if (options.timeout_ms > 0) {
    Database::SetDeadline(std::chrono::steady_clock::now() +
                          std::chrono::milliseconds(options.timeout_ms));
  }
  bool damaged = false;
  auto session = OpenOnce(options, false, &damaged);
  if (!damaged || ReadsStream(options)) return session;
  return OpenOnce(options, true, &damaged);
}

// From here on the inputs are read, by this process or its workers.
Status Session::ReadAll(Inputs* inputs, const SessionOptions& options,
                        bool thoroughly) {
  trace::TemporaryFolder folder;
  if (options.workers > 0 && inputs->parts.empty()) {
    RETURN_IF_ERROR(ReadByWorkers(options.workers, inputs, &folder));
  }
  if (!inputs->parts.empty()) return TakeParts(*inputs);
  Progress progress;
  progress.Begin("opening the traces");
  RETURN_IF_ERROR(run_.Attach([&](facts::Store* store) {
    if (thoroughly) store->CheckThoroughly();
    return Attach(*inputs, store);
  }));
  std::ranges::move(inputs->texts, std::back_inserter(printed_));
  return ReadAllLogs(*inputs, &progress);
}

Expected<Session> Session::OpenOnce(const SessionOptions& options,
                                    bool thoroughly, bool* damaged) {
  Session session(options.profile);
  Inputs inputs;
  RETURN_IF_ERROR(session.ReadInputs(options, &inputs));
  RETURN_IF_ERROR(session.LoadRules(options.rules));
  RETURN_IF_ERROR(session.ReadAll(&inputs, options, thoroughly));
  if (session.inputs_read_ == 0 && !session.first_problem_.ok()) {
    return session.first_problem_;
  }
  Progress progress;
  progress.Begin("replaying the allocations");
  memory::AnalyzeOptions analysis;
  analysis.timeline_points = options.timeline_points;
  analysis.categories = options.timeline_categories;
  analysis.site_stacks = options.site_stacks;
  const Status derived = session.run_.DeriveFacts(analysis);
  *damaged = derived.code() == StatusCode::kUnreadable;
  RETURN_IF_ERROR(session.store().NameDamage(derived));
  session.subject_ = options.paths.empty() ? "" : options.paths.front();
  session.arguments_ = ArgumentsOf(options);
  return session;
}

Status Session::Diagnose() {
  Progress progress;
  progress.Begin("applying the rules");
  RETURN_IF_ERROR(store().NameDamage(run_.Diagnose()));
  const Diagnostics& found = run_.diagnostics();
  if (HasErrors(found)) exit_code_ = MoreSerious(exit_code_, kBadRules);
  diagnostics_.insert(diagnostics_.end(), found.begin(), found.end());
  if (findings::HitsALimit(diagnosis())) {
    exit_code_ = MoreSerious(exit_code_, kIncomplete);
  }
  return Status::Ok();
}

report::ReportInput Session::Report() {
  report::ReportInput input;
  input.diagnosis = &diagnosis();
  if (auto summary = report::Summarize(&store(), run_.memory_events());
      summary.ok()) {
    input.summary = summary.Take();
  }
  input.logs = run_.logs();
  input.timelines = &run_.timelines();
  input.tool_version = INQUEST_VERSION;
  input.rules = rules().rules.size() + rules().signatures.size() +
                rules_->unread_signatures;
  input.rules_digest = rules_->digest;
  if (auto run = report::SummarizeRun(&store()); run.ok()) {
    input.run = run.Take();
  }
  input.subject = subject_;
  input.arguments = arguments_;
  if (auto coverage = report::CoverageRows(&store()); coverage.ok()) {
    input.coverage = coverage.Take();
  }
  return input;
}

}  // namespace inquest::cli
