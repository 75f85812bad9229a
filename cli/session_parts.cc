// SPDX-License-Identifier: Apache-2.0
// Files of facts: a session makes one, or is made of several; see
// diagnosis_session.h.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>

#include "base/parallel.h"
#include "cli/command.h"
#include "cli/diagnosis_session.h"
#include "cli/fleet/child_process.h"
#include "cli/input_shares.h"
#include "cli/shares_given.h"
#include "trace/store/private_file.h"

namespace inquest::cli {
namespace {

namespace fs = std::filesystem;

// Shares of each worker: the last ones to end wait for less.
constexpr int64_t kSharesEach = 4;

Status CheckNotMixed(const Inputs& inputs) {
  if (inputs.logs.empty() && inputs.traces.empty() && inputs.foreign.empty() &&
      inputs.texts.empty() && inputs.run_directories.empty()) {
    return Status::Ok();
  }
  return Usage(
             "files of facts are judged together with other files of facts "
             "only")
      .WithHint(
          "`inquest ingest` makes facts of the other logs and traces, too");
}

// Replaces the file at once, so that a reader sees none or all of it.
Status PutInPlace(const std::string& made, const std::string& file) {
  if (std::rename(made.c_str(), file.c_str()) == 0) return Status::Ok();
  return Unreadable("cannot write '" + file + "': " + std::strerror(errno));
}

// Messages of several workers would be mixed; they are in the facts.
void BecomeQuiet() {
  const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (null >= 0) dup2(null, STDERR_FILENO);
}

}  // namespace

Status Session::FillPart(const Inputs& inputs, diagnosis::PartInfo info) {
  RETURN_IF_ERROR(
      run_.Attach([&](facts::Store* store) { return Attach(inputs, store); }));
  printed_.insert(printed_.end(), inputs.texts.begin(), inputs.texts.end());
  Progress progress;
  RETURN_IF_ERROR(ReadAllLogs(inputs, &progress));
  info.rules = rules_->digest;
  info.tool = INQUEST_VERSION;
  info.inputs = inputs_read_;
  info.incomplete = exit_code_ == kIncomplete;
  info.problems = problems_;
  return run_.EndPart(std::move(info));
}

Expected<bool> Session::MakePart(const Inputs& inputs, const Shard& shard,
                                 const std::string& file) {
  if (!inputs.parts.empty()) return Usage("these are facts already");
  diagnosis::PartInfo info;
  info.share = static_cast<int64_t>(shard.index);
  info.shares = static_cast<int64_t>(shard.count);
  ASSIGN_OR_RETURN(info.content, ContentOf(inputs, rules_->digest));
  const auto there = diagnosis::LookAtPart(file);
  if (there.ok() && there->content == info.content &&
      there->share == info.share && there->shares == info.shares) {
    return false;
  }
  const std::string made = fmt::format("{}.{}.tmp", file, getpid());
  RETURN_IF_ERROR(trace::MakePrivate(made, O_TRUNC));
  makes_part_ = true;
  run_.MakePart(made);
  Status status = FillPart(inputs, std::move(info));
  run_ = diagnosis::Pipeline(&rules_->set, profile_);  // closes the file
  if (status.ok()) status = PutInPlace(made, file);
  if (!status.ok()) {
    unlink(made.c_str());
    return status;
  }
  return true;
}

Expected<bool> Session::Ingest(const SessionOptions& options,
                               const Shard& shard, const std::string& file,
                               Diagnostics* diagnostics, int* exit_code) {
  Session session(options.profile);
  Inputs inputs;
  RETURN_IF_ERROR(session.ReadInputs(options, &inputs));
  RETURN_IF_ERROR(session.LoadRules(options.rules));
  auto made = session.MakePart(ShareOf(inputs, shard), shard, file);
  *diagnostics = session.diagnostics_;
  *exit_code = session.exit_code_;
  return made;
}

// Each worker is a copy of this process, which knows the inputs and the rules.
Status Session::ReadByWorkers(int64_t workers, Inputs* inputs,
                              trace::TemporaryFolder* folder) {
  ASSIGN_OR_RETURN(*folder, trace::TemporaryFolder::Make());
  const auto shares = static_cast<size_t>(workers * kSharesEach);
  std::map<pid_t, size_t> running;
  Status failed;
  std::vector<std::string> parts;
  const auto wait_for_one = [&] {
    int state = 0;
    const pid_t ended = waitpid(-1, &state, 0);
    if (ended < 0 && errno == EINTR) return;
    const auto at = running.find(ended);
    if (at == running.end()) return;
    const bool well = WIFEXITED(state) && WEXITSTATUS(state) == 0;
    if (!well && failed.ok()) {
      failed =
          Internal(fmt::format("the worker for share {} of {} ended with {}",
                               at->second + 1, shares,
                               Ended{.state = state}.Words()))
              .WithHint("`inquest diagnose` without --jobs says more");
    }
    running.erase(at);
  };
  for (size_t i = 0; i < shares; ++i) {
    parts.push_back(fmt::format("{}{}.facts", folder->path(), i));
    while (std::ssize(running) >= workers) wait_for_one();
    const pid_t pid = fork();
    if (pid < 0) {
      failed = Internal(std::string("cannot start a worker: ") +
                        std::strerror(errno));
      break;  // the others are waited for
    }
    if (pid == 0) {
      BecomeQuiet();
      LimitThreads(1);
      problems_.clear();  // those of finding the inputs are the parent's
      const Shard shard = {i, shares};
      const auto made = MakePart(ShareOf(*inputs, shard), shard, parts.back());
      _exit(made.ok() ? 0 : ExitCodeOf(made.status()));
    }
    running[pid] = i;
  }
  while (!running.empty()) wait_for_one();
  RETURN_IF_ERROR(failed);
  *inputs = Inputs{};
  inputs->parts = std::move(parts);
  return Status::Ok();
}

Status Session::TakeParts(const Inputs& inputs) {
  RETURN_IF_ERROR(CheckNotMixed(inputs));
  RETURN_IF_ERROR(ReadSignatures(rules_.get()));
  std::set<std::string> seen;
  SharesGiven shares;
  const auto take = [&](const std::string& path) -> Status {
    ASSIGN_OR_RETURN(const diagnosis::PartInfo info,
                     diagnosis::LookAtPart(path));
    if (info.rules != rules_->digest || info.tool != INQUEST_VERSION) {
      return Usage("the facts of '" + path +
                   "' were made with other rules or by another inquest")
          .WithHint("ingest the logs and traces again");
    }
    RETURN_IF_ERROR(shares.Add(path, info));
    if (!seen.insert(info.content).second) return Status::Ok();  // given twice
    RETURN_IF_ERROR(run_.AddPart(path).status());
    for (const Status& problem : info.problems) Note(problem);
    if (info.incomplete && exit_code_ == kDone) exit_code_ = kIncomplete;
    inputs_read_ += static_cast<int>(info.inputs);
    return Status::Ok();
  };
  Progress progress;
  progress.Begin("joining the facts");
  RETURN_IF_ERROR(run_.Attach([&](facts::Store*) -> Status {
    for (const std::string& path : inputs.parts) RETURN_IF_ERROR(take(path));
    return Status::Ok();
  }));
  if (const Status missing = shares.Missing(); !missing.ok()) Note(missing);
  return run_.EndParts();
}

}  // namespace inquest::cli
