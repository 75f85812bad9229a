// SPDX-License-Identifier: Apache-2.0
#include "cli/inputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "analyzer/facts/store/parts.h"
#include "analyzer/hangs/ras/ras_json.h"
#include "analyzer/hangs/stacks/pyspy_json.h"
#include "analyzer/importers/kinds.h"
#include "analyzer/importers/unsupported_files.h"
#include "analyzer/logs/carriers/log_json.h"
#include "base/input_file.h"
#include "base/json_text.h"
#include "base/text.h"
#include "cli/job_folder.h"
#include "cli/record/console_parts.h"
#include "trace/records/event.h"

namespace inquest::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSqliteMagic = "SQLite format 3";

bool EndsWith(std::string_view text, std::string_view end) {
  return text.size() >= end.size() &&
         text.substr(text.size() - end.size()) == end;
}

// The trace that a journal belongs to.
std::string TraceOfJournal(const std::string& journal) {
  return journal.substr(0, journal.size() - trace::kJournalSuffix.size()) +
         std::string(trace::kTraceSuffix);
}

void AddForeign(const std::string& path, const importers::Importer* importer,
                Inputs* inputs) {
  if (importer->together) {
    for (ForeignInput& other : inputs->foreign) {
      if (other.importer != importer) continue;
      other.paths.push_back(path);
      return;
    }
  }
  inputs->foreign.push_back({importer, {path}});
}

// Whether a run's directory has a file of that name that may be read; links,
// pipes and the like are refused, which is reported.
bool Has(std::string_view what, const fs::path& path, Inputs* inputs) {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(path, error))) return false;
  const Status status = CheckInput(what, path.string(), Links::kRefuse);
  if (!status.ok()) inputs->refused.push_back(status);
  return status.ok();
}

void AddRunTrace(const std::string& path, Inputs* inputs) {
  std::error_code error;
  const bool journal_only = !fs::exists(fs::symlink_status(path, error));
  if (journal_only || Has("the trace", path, inputs)) {
    inputs->traces.push_back(path);
  }
}

Status NothingIn(const std::string& path, const JobFiles& job) {
  constexpr size_t kNamed = 3;
  std::vector<std::string> reasons;
  for (const JobFiles::LeftOut& one : job.left_out) {
    if (reasons.size() == kNamed) break;
    reasons.push_back(one.path + ": " + one.why);
  }
  std::string there;
  if (!reasons.empty()) {
    there = fmt::format("; of {} files none is evidence ({})",
                        job.left_out.size(), fmt::join(reasons, "; "));
  }
  return Unreadable(fmt::format("'{}' is not a run directory and no job's "
                                "folder: it contains neither {} nor a trace "
                                "nor a log{}",
                                path, trace::kRunFile, there))
      .WithHint(
          "give the directory that `inquest record` named, or the folder with "
          "the job's logs");
}

Status AddRunDirectory(const std::string& path, Inputs* inputs) {
  std::set<std::string> traces;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(path, error)) {
    const std::string name = entry.path().string();
    if (EndsWith(name, trace::kTraceSuffix)) traces.insert(name);
    if (EndsWith(name, trace::kJournalSuffix)) {
      traces.insert(TraceOfJournal(name));
    }
  }
  if (error) {
    return Unreadable(fmt::format("cannot read the directory '{}': {}", path,
                                  error.message()));
  }
  const fs::path directory(path);
  const bool has_run =
      fs::exists(fs::symlink_status(directory / trace::kRunFile, error));
  const fs::path console = directory / trace::kConsoleLog;
  if (!has_run && traces.empty()) {
    ASSIGN_OR_RETURN(const bool any, AddJobFolder(path, inputs));
    return any ? Status::Ok() : NothingIn(path, inputs->job);
  }
  // A directory with only traces, as `import` makes it, has no command.
  if (has_run) inputs->run_directories.push_back(path);
  for (const std::string& trace : traces) AddRunTrace(trace, inputs);
  if (auto unfinished = record::ReadUnfinishedConsole(path)) {
    inputs->texts.push_back({console.string(), *std::move(unfinished)});
  } else if (Has("the log", console, inputs)) {
    inputs->logs.push_back(console.string());
  }
  return Status::Ok();
}

// A file of facts, by the application that SQLite's header names.
bool IsPart(const std::string& path) {
  constexpr size_t kApplicationId = 68;
  const std::string start = ReadStart(path, kApplicationId + 4);
  if (start.size() < kApplicationId + 4 || !start.starts_with(kSqliteMagic)) {
    return false;
  }
  int64_t id = 0;
  for (size_t i = 0; i < 4; ++i) {
    id = id * 256 + static_cast<unsigned char>(start[kApplicationId + i]);
  }
  return id == facts::kPartApplicationId;
}

// What the user names may be a link; the trace's other files lie where it
// leads.
std::string Target(const std::string& path) {
  std::error_code error;
  if (!fs::is_symlink(fs::symlink_status(path, error))) return path;
  const fs::path target = fs::canonical(path, error);
  return error ? path : target.string();
}

// Of a JSON file of py-spy's stacks.
std::optional<std::string> StacksIn(const std::string& path) {
  constexpr size_t kMaxBytes = 64 << 20;
  const importers::FileStart start = importers::StartOf(path);
  if (!Trim(start.bytes).starts_with('[') ||
      start.bytes.find("\"owns_gil\"") == start.bytes.npos) {
    return {};
  }
  const auto text = ReadInput("the stacks", path, Links::kFollow, kMaxBytes);
  return text.ok() ? hangs::PySpyText(*text) : std::nullopt;
}

// Rejects other JSON documents, such as a configuration.
Status RejectOtherJson(const std::string& path) {
  const importers::FileStart start = importers::StartOf(path);
  const std::string_view text = Trim(start.bytes);
  if (start.bytes.size() >= importers::kStartBytes ||
      !(text.starts_with('{') || text.starts_with('[')) ||
      ParseJson(text).is_discarded() || ingest::UnwrapJsonLine(text) ||
      hangs::IsRasJson(text)) {
    return Status::Ok();
  }
  return Unreadable("'" + path +
                    "' is JSON, but neither a log nor a file of a tool that "
                    "inquest knows")
      .WithHint(
          "`inquest import --help` lists what can be read; to read it as a log "
          "anyway: --log " +
          path);
}

}  // namespace

Status ClassifyPath(const std::string& path, Inputs* inputs) {
  if (path == "-") {
    inputs->logs.push_back(path);
    return Status::Ok();
  }
  struct stat info = {};
  if (stat(path.c_str(), &info) != 0) {
    return Unreadable(
        fmt::format("cannot open '{}': {}", path, strerror(errno)));
  }
  if (S_ISDIR(info.st_mode)) return AddRunDirectory(path, inputs);
  if (EndsWith(path, trace::kJournalSuffix)) {
    inputs->traces.push_back(TraceOfJournal(Target(path)));
  } else if (EndsWith(path, trace::kTraceSuffix)) {
    RETURN_IF_ERROR(CheckInput("the trace", path, Links::kFollow));
    inputs->traces.push_back(Target(path));
  } else if (const auto* importer =
                 S_ISREG(info.st_mode) ? importers::ImporterOf(path) : nullptr;
             importer != nullptr) {
    AddForeign(path, importer, inputs);
  } else if (S_ISREG(info.st_mode) && IsPart(path)) {
    inputs->parts.push_back(path);
  } else if (S_ISREG(info.st_mode) &&
             ReadStart(path, kSqliteMagic.size()) == kSqliteMagic) {
    inputs->traces.push_back(Target(path));
  } else {
    if (S_ISREG(info.st_mode)) {
      if (auto stacks = StacksIn(path)) {
        inputs->texts.push_back({path, *std::move(stacks)});
        return Status::Ok();
      }
      RETURN_IF_ERROR(importers::RejectUnsupported(path));
      RETURN_IF_ERROR(RejectOtherJson(path));
    }
    inputs->logs.push_back(path);
  }
  return Status::Ok();
}

std::string SourceKinds() {
  std::string kinds = "trace, log";
  for (const auto& importer : importers::Importers()) {
    kinds.append(", ").append(importer.kind);
  }
  return kinds;
}

Status AddForcedSource(const std::string& option, Inputs* inputs) {
  const size_t equals = option.find('=');
  const std::string kind = option.substr(0, equals);
  const auto* importer = importers::FindImporter(kind);
  const bool known = kind == "trace" || kind == "log" || importer != nullptr;
  if (equals == option.npos || !known) {
    return Usage(fmt::format("--source '{}' is not KIND=FILE", option))
        .WithHint("KIND is one of " + SourceKinds());
  }
  const std::string file = option.substr(equals + 1);
  if (importer != nullptr) {
    AddForeign(file, importer, inputs);
  } else {
    (kind == "log" ? inputs->logs : inputs->traces)
        .push_back(kind == "log" ? file : Target(file));
  }
  return Status::Ok();
}

}  // namespace inquest::cli
