// SPDX-License-Identifier: Apache-2.0
#include "authoring/ruletests/diagnoser.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "analyzer/diagnosis/pipeline.h"
#include "authoring/ruletests/allocations.h"
#include "authoring/ruletests/given_facts.h"
#include "trace/records/event.h"

namespace inquest::ruletests {
namespace {

namespace fs = std::filesystem;

// The folder of synthetic traces while their test runs; made at first use.
class Scratch {
 public:
  Scratch() = default;
  ~Scratch() {
    std::error_code error;
    if (!path_.empty()) fs::remove_all(path_, error);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  Expected<std::string> Path() {
    if (!path_.empty()) return path_;
    std::error_code error;
    std::string pattern =
        (fs::temp_directory_path(error) / "inquest-test-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) {
      return Internal("cannot make a folder like " + pattern);
    }
    return path_ = pattern;
  }

 private:
  std::string path_;
};

// "Remember < Step < main" as the frames of a stack.
std::vector<memory::Frame> FramesOf(const std::string& site) {
  constexpr std::string_view kArrow = " < ";
  std::vector<memory::Frame> frames;
  for (size_t at = 0; at <= site.size();) {
    const size_t end = std::min(site.find(kArrow, at), site.size());
    memory::Frame frame;
    frame.function = site.substr(at, end - at);
    frame.module = "test";
    frames.push_back(std::move(frame));
    at = end + kArrow.size();
  }
  return frames;
}

bool IsTrace(const std::string& path) {
  return path.ends_with(trace::kTraceSuffix);
}

// The synthetic processes of a test: their traces, and the functions on their
// stacks. The folder must outlive the store, which has its files open.
class Processes {
 public:
  Status Add(const Process& process, facts::Store* store) {
    ASSIGN_OR_RETURN(const std::string folder, scratch_.Path());
    const std::string path = folder + "/" + std::to_string(store->traces()) +
                             std::string(trace::kTraceSuffix);
    ASSIGN_OR_RETURN(SiteNames sites, WriteTrace(process, path));
    ASSIGN_OR_RETURN(const int number, store->AddTrace(path));
    sites_.resize(static_cast<size_t>(number));
    sites_.back() = std::move(sites);
    return Status::Ok();
  }

  std::vector<memory::Frame> Frames(int process, int64_t stack) const {
    const auto number = static_cast<size_t>(process) - 1;
    if (number >= sites_.size() || stack < 1 ||
        static_cast<size_t>(stack) > sites_[number].size()) {
      return {};
    }
    return FramesOf(sites_[number][static_cast<size_t>(stack) - 1]);
  }

 private:
  Scratch scratch_;
  std::vector<SiteNames> sites_;  // by process number - 1
};

Status Attach(const Given& given, const std::vector<std::string>& traces,
              Processes* processes, facts::Store* store) {
  if (given.has_run()) {
    facts::RunFacts run;
    run.directory = "test";
    if (given.state.empty()) run.end_time = 1'800'000'100'000'000'000;
    run.state = given.state.empty() ? "ended" : given.state;
    run.exit_code = given.exit_code;
    run.signal = given.signal;
    run.command = given.command;
    run.slurm_job = given.slurm_job;
    RETURN_IF_ERROR(store->AddRun(run));
  }
  for (const Process& process : given.processes) {
    RETURN_IF_ERROR(processes->Add(process, store));
  }
  for (const std::string& trace : traces) {
    RETURN_IF_ERROR(store->AddTrace(trace).status());
  }
  return Status::Ok();
}

}  // namespace

Expected<Diagnoser> Diagnoser::Make(rules::RuleSet rules) {
  ASSIGN_OR_RETURN(rules::SignatureSet signatures,
                   rules::SignatureSet::Compile(rules.signatures));
  return Diagnoser(std::move(rules), std::move(signatures));
}

void Diagnoser::KeepNew(const Diagnostics& found) {
  for (const Diagnostic& one : found) {
    const bool known = std::any_of(
        diagnostics_.begin(), diagnostics_.end(),
        [&](const Diagnostic& said) { return said.message == one.message; });
    if (!known) diagnostics_.push_back(one);
  }
}

Expected<Diagnoser::Files> Diagnoser::FindFiles(const Given& given,
                                                Fixtures* fixtures) {
  Files files;
  files.sql = given.sql;
  for (const GivenFiles& wanted : given.files) {
    ASSIGN_OR_RETURN(const auto found, fixtures->Find(wanted.glob));
    for (const std::string& path : found) {
      if (path.ends_with(".sql")) {
        ASSIGN_OR_RETURN(const std::string text, ReadText(path));
        files.sql += text + "\n";
      } else {
        (IsTrace(path) ? files.traces : files.logs).push_back(path);
      }
    }
  }
  return files;
}

Expected<findings::Diagnosis> Diagnoser::Run(const Given& given,
                                             const Files& files) {
  Processes processes;
  diagnosis::Pipeline run(&rules_);
  RETURN_IF_ERROR(run.Attach([&](facts::Store* store) {
    return Attach(given, files.traces, &processes, store);
  }));
  diagnosis::Logs logs;
  for (const std::string& log : files.logs) logs.files.push_back({log, {}});
  logs.texts = given.logs;
  RETURN_IF_ERROR(run.ReadLogs(signatures_, logs));
  RETURN_IF_ERROR(run.unread_log());
  RETURN_IF_ERROR(GiveFacts(&run.store(), given.facts, files.sql));
  memory::AnalyzeOptions options;
  options.frames = [&](int process, int64_t stack) {
    return processes.Frames(process, stack);
  };
  RETURN_IF_ERROR(run.DeriveFacts(options));
  const Status diagnosed = run.Diagnose();
  KeepNew(run.diagnostics());
  RETURN_IF_ERROR(diagnosed);
  return run.diagnosis();
}

Expected<findings::Diagnosis> Diagnoser::Diagnose(const Given& given,
                                                  Fixtures* fixtures) {
  ASSIGN_OR_RETURN(const Files files, FindFiles(given, fixtures));
  return Run(given, files);
}

Expected<findings::Diagnosis> Diagnoser::DiagnoseLog(const std::string& path) {
  return Run({}, {{}, {path}, {}});
}

}  // namespace inquest::ruletests
