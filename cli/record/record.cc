// SPDX-License-Identifier: Apache-2.0
#include "cli/record/record.h"

#include <fmt/format.h>
#include <limits.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "base/secrets/secrets.h"
#include "base/units.h"
#include "cli/record/channel.h"
#include "cli/record/child.h"
#include "cli/record/collector_path.h"
#include "cli/record/command_wait.h"
#include "cli/record/console_log.h"
#include "cli/record/program.h"
#include "cli/record/relay_process.h"
#include "cli/record/relayed_signals.h"
#include "cli/record/run_directory.h"
#include "cli/record/run_info.h"
#include "cli/record/say.h"
#include "trace/journal/process_clock.h"
#include "trace/records/event.h"

namespace inquest::record {
namespace {

// Variables that distinguish ranks of a job, and jobs.
constexpr const char* kJobVariables[] = {
    "SLURM_JOB_ID",
    "SLURM_STEP_ID",
    "SLURM_PROCID",
    "SLURM_LOCALID",
    "SLURM_NODEID",
    "SLURM_NTASKS",
    "SLURM_ARRAY_JOB_ID",
    "SLURM_ARRAY_TASK_ID",
    "SLURM_RESTART_COUNT",
    "TORCHELASTIC_RUN_ID",
    "TORCHELASTIC_RESTART_COUNT",
    "GROUP_RANK",
    "RANK",
    "LOCAL_RANK",
    "WORLD_SIZE",
    "OMPI_COMM_WORLD_RANK",
    "OMPI_COMM_WORLD_SIZE",
    "PMI_RANK",
    "PBS_JOBID",
    "LSB_JOBID",
    "CUDA_VISIBLE_DEVICES",
};

int64_t Now() {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * int64_t{1'000'000'000} + now.tv_nsec;
}

// For tests; see collector/core/config.h.
std::string SystemRoot() {
  const char* root = getenv("INQUEST_SYSTEM_ROOT");
  return root != nullptr ? root : "";
}

RunInfo Describe(const RecordOptions& options) {
  RunInfo info;
  info.command = MaskCommand(options.command);
  info.inquest_version = INQUEST_VERSION;
  info.start_ns = Now();
  char text[PATH_MAX];
  if (getcwd(text, sizeof text) != nullptr) info.cwd = text;
  info.host = HostName();
  info.groups_before = ReadMemoryGroups(SystemRoot());
  for (const char* name : kJobVariables) {
    const char* value = getenv(name);
    if (value != nullptr) info.job[name] = MaskVariable(name, value);
  }
  return info;
}

// A trace's budget is the console's, too, where it is smaller.
uint64_t MostConsoleBytes(const RecordOptions& options) {
  const char* text = getenv("INQUEST_MAX_DISK");
  const auto disk = ParseBytes(text != nullptr ? text : "");
  if (!disk || *disk <= 0) return options.console_bytes;
  return std::min(options.console_bytes, static_cast<uint64_t>(*disk));
}

// One recording. Steps in the order in which Record calls them.
class Recording {
 public:
  Recording(const RecordOptions& options, std::string program_path)
      : options_(options), info_(Describe(options)) {
    launch_.path = std::move(program_path);
    launch_.command = options.command;
    launch_.was_open = was_open_;
  }

  Expected<RecordResult> Run();

 private:
  void PrepareDirectory();
  void PrepareCollector();
  void WriteInfo();
  RecordResult NotStarted(int error);
  // Where there is no room for a second process or its pipes.
  RecordResult RunInPlace(const Status& why, Channels* channels);
  bool StartRelay(Channels* channels);
  void DescribeProcess(pid_t pid);
  RecordResult Ended(int wait_status, const RelayReport& report);

  const RecordOptions& options_;
  RunInfo info_;
  RunDirectory directory_;
  ConsoleLog log_;
  bool was_open_[3] = {};
  Launch launch_;
  Signals signals_;
  RelayProcess relay_;
};

void Recording::PrepareDirectory() {
  Expected<RunDirectory> made =
      MakeRunDirectory(options_.directory, RunName(options_.command));
  if (!made.ok()) {
    Say(made.status().message() + "; the command runs, but nothing is kept");
    return;
  }
  directory_ = made.Take();
  if (directory_.other_name) {
    Say(fmt::format("{} already has a run, this one goes to {}",
                    options_.directory, directory_.path));
  }
  if (log_.Open(directory_.absolute, MostConsoleBytes(options_))) {
    info_.console_log = trace::kConsoleLog;
  } else {
    info_.console_error = log_.error();
    Say(log_.error() + "; the command's output is shown but not kept");
  }
}

void Recording::PrepareCollector() {
  if (!options_.collector || directory_.path.empty()) return;
  CollectorChoice choice = FindCollector(options_.collector_path);
  info_.collector = choice.path;
  info_.collector_missing = choice.why_not;
  if (choice.path.empty()) {
    Say("recording without the collector, only the console is kept: " +
        choice.why_not);
  }
}

void Recording::WriteInfo() {
  if (directory_.path.empty()) return;
  // The absolute name stays right if the caller changes its directory.
  const Status status = WriteRunInfo(directory_.absolute, info_);
  if (!status.ok()) Say(status.message());
}

// The command runs even if its output cannot be copied: it then has our own
// streams.
bool Recording::StartRelay(Channels* channels) {
  if (channels->devices) {
    info_.console_error = "what went straight to a device is not kept";
  }
  const Status status = relay_.Start(channels, &log_);
  if (status.ok()) return true;
  info_.console_error = status.message();
  Say(status.message() + "; the command's output is shown but not kept");
  return false;
}

RecordResult Recording::NotStarted(int error) {
  const Program failure = ExecFailure(launch_.path, error);
  Say(failure.complaint);
  info_.start_error = failure.complaint;
  info_.end_ns = Now();
  WriteInfo();
  RecordResult result;
  result.exit_code = failure.exit_code;
  result.directory = directory_.path;
  return result;
}

RecordResult Recording::RunInPlace(const Status& why, Channels* channels) {
  channels->list.clear();  // run.json needs a descriptor
  Say(why.message() +
      "; the command runs in place of the recorder: its output and how it ends "
      "are not kept");
  info_.console_error = why.message();
  info_.console_log.clear();
  info_.in_place = true;
  DescribeProcess(getpid());
  return NotStarted(BecomeCommand(launch_, signals_));
}

void Recording::DescribeProcess(pid_t pid) {
  info_.pid = pid;
  info_.process_start = trace::ProcessStart(pid);
  info_.pid_namespace = trace::PidNamespace();
  info_.boot = trace::BootHash();
  WriteInfo();
}

RecordResult Recording::Ended(int wait_status, const RelayReport& report) {
  RecordResult result;
  result.started = true;
  if (WIFSIGNALED(wait_status)) {
    result.signal = WTERMSIG(wait_status);
    result.exit_code = 128 + result.signal;
    info_.signal = result.signal;
    info_.core_dumped = WCOREDUMP(wait_status);
  } else {
    result.exit_code = WEXITSTATUS(wait_status);
    info_.exit_status = result.exit_code;
  }
  result.died = result.exit_code != 0;
  result.directory = directory_.path;
  result.collector_used = !info_.collector.empty();
  info_.end_ns = Now();
  info_.groups_after = ReadMemoryGroups(SystemRoot());
  info_.console_bytes = report.bytes;
  info_.console_left_out = report.left_out;
  if (report.error[0] != '\0') info_.console_error = report.error;
  info_.console_left_open = report.left_open;
  WriteInfo();
  if (!directory_.path.empty()) {
    result.touched_gpu = HoldsTrace(directory_.absolute);
  }
  return result;
}

Expected<RecordResult> Recording::Run() {
  ReserveStandardStreams(was_open_);
  launch_.files = RaiseFileLimit();
  PrepareDirectory();
  PrepareCollector();
  WriteInfo();
  launch_.environment = ChildEnvironment(directory_.absolute, info_.collector);

  Expected<Channels> opened = OpenChannels(was_open_);
  Channels channels;
  if (!opened.ok()) return RunInPlace(opened.status(), &channels);
  channels = opened.Take();
  const Status installed = signals_.Install();
  if (!installed.ok()) return RunInPlace(installed, &channels);
  Expected<Started> begun =
      Start(launch_, channels, signals_, [&] { return StartRelay(&channels); });
  if (!begun.ok()) return RunInPlace(begun.status(), &channels);
  const Started started = begun.Take();
  if (started.exec_error != 0) return NotStarted(started.exec_error);
  signals_.Follow(started.pid);
  relay_.Follow(started.pid);
  // A terminal pair whose far end is closed for a moment looks ended; ours
  // stays open until the command has ended. A pipe must signal its end.
  for (Channel& channel : channels.list) {
    if (!channel.terminal) channel.child_end.Reset();
  }
  DescribeProcess(started.pid);

  const int wait_status = AwaitCommand(started.pid, channels, &signals_);
  channels.list.clear();
  return Ended(wait_status, relay_.CommandEnded(signals_));
}

}  // namespace

Expected<RecordResult> Record(const RecordOptions& options) {
  if (options.command.empty()) {
    return Usage("no command to record")
        .WithHint("inquest record -- python train.py");
  }
  const Program program = FindProgram(options.command[0]);
  if (program.exit_code != 0) {
    Say(program.complaint);
    RecordResult result;
    result.exit_code = program.exit_code;
    return result;
  }
  Recording recording(options, program.path);
  return recording.Run();
}

void ExitLike(const RecordResult& result) {
  fflush(nullptr);
  if (result.signal == 0) _exit(result.exit_code);
  const struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  signal(result.signal, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, result.signal);
  sigprocmask(SIG_UNBLOCK, &only, nullptr);
  raise(result.signal);
  _exit(result.exit_code);  // a signal that does not kill, such as SIGCONT
}

}  // namespace inquest::record
