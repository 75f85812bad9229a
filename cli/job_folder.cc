// SPDX-License-Identifier: Apache-2.0
#include "cli/job_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/input_file.h"
#include "base/json_text.h"
#include "base/text.h"
#include "trace/records/event.h"

namespace inquest::cli {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxErrorFile = 4 << 20;

// Endings of files that are a job's input or result. A program's source and its
// settings quote the very words that a log would be searched for.
constexpr std::array<std::string_view, 44> kNoEvidence = {
    ".py",  ".pyc",     ".sh",    ".bash", ".sbatch",      ".slurm", ".c",
    ".cc",  ".cpp",     ".cu",    ".cuh",  ".h",           ".hpp",   ".rs",
    ".go",  ".js",      ".ts",    ".yaml", ".yml",         ".toml",  ".ini",
    ".cfg", ".conf",    ".md",    ".rst",  ".ipynb",       ".html",  ".css",
    ".csv", ".tsv",     ".pt",    ".pth",  ".safetensors", ".npy",   ".npz",
    ".h5",  ".parquet", ".arrow", ".so",   ".whl",         ".png",   ".jpg",
    ".pdf", ".zip"};

bool IsNoEvidence(const fs::path& path) {
  const std::string extension = path.extension().string();
  const std::string name = path.filename().string();
  return std::ranges::find(kNoEvidence, extension) != kNoEvidence.end() ||
         name.starts_with("requirements") ||
         name.find(".tfevents.") != name.npos;
}

bool IsHidden(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.starts_with('.') || name == "__pycache__";
}

bool HoldsRun(const fs::path& folder) {
  std::error_code error;
  if (fs::exists(fs::symlink_status(folder / trace::kRunFile, error))) {
    return true;
  }
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(trace::kTraceSuffix) ||
        name.ends_with(trace::kJournalSuffix)) {
      return true;
    }
  }
  return false;
}

// The text of a file that TORCHELASTIC_ERROR_FILE named: an exception with its
// traceback and time. Empty for other JSON.
std::optional<std::string> ErrorFileText(const std::string& path) {
  const auto text =
      ReadInput("the error file", path, Links::kRefuse, kMaxErrorFile);
  if (!text.ok()) return {};
  const nlohmann::json file = ParseJson(*text);
  if (!file.is_object() || !file.contains("message")) return {};
  const nlohmann::json& message = file["message"];
  if (message.is_string()) {
    const bool known = file.contains("timestamp") && file.size() <= 4;
    return known ? std::optional(message.get<std::string>() + "\n")
                 : std::nullopt;
  }
  const auto member = [](const nlohmann::json& from, const char* name) {
    const auto at = from.find(name);
    return at != from.end() && at->is_string() ? at->get<std::string>() : "";
  };
  if (!message.is_object() || !message.contains("extraInfo") ||
      !message["extraInfo"].is_object()) {
    return {};
  }
  const std::string stack = member(message["extraInfo"], "py_callstack");
  return (stack.empty() ? member(message, "message") : stack) + "\n";
}

// Without the path, so that equal reasons are counted together.
std::string Reason(const fs::path& path, const Status& status) {
  std::string text = status.message();
  const std::string begin = "'" + path.string() + "' ";
  if (text.starts_with(begin)) text.erase(0, begin.size());
  return status.hint().empty() ? text : text + "; " + status.hint();
}

class Finder {
 public:
  Finder(const std::string& folder, Inputs* inputs,
         const JobFolderLimits& limits)
      : root_(folder), inputs_(inputs), limits_(limits) {}

  Status Look(const fs::path& folder, int depth) {
    std::vector<fs::path> files, folders;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      if (++seen_ > limits_.entries) return TooMany();
      if (IsHidden(entry.path())) continue;
      const fs::file_status status = entry.symlink_status(error);
      if (fs::is_directory(status)) folders.push_back(entry.path());
      if (fs::is_regular_file(status)) files.push_back(entry.path());
      if (fs::is_symlink(status)) LeaveOut(entry.path(), "a link");
    }
    if (error) LeaveOut(folder, error.message());
    std::ranges::sort(files);
    std::ranges::sort(folders);
    for (const fs::path& file : files) AddFile(file);
    for (const fs::path& below : folders) {
      if (HoldsRun(below)) {
        AddRun(below);
      } else if (depth >= limits_.depth) {
        LeaveOut(below, "too many folders within folders");
      } else {
        RETURN_IF_ERROR(Look(below, depth + 1));
      }
    }
    return Status::Ok();
  }

 private:
  std::string Below(const fs::path& path) const {
    return path.lexically_relative(root_).generic_string();
  }

  Status TooMany() const {
    return Unreadable(fmt::format("'{}' has more than {} files and folders",
                                  root_.string(), limits_.entries))
        .WithHint("give the folder of one job, or its logs one by one");
  }

  void LeaveOut(const fs::path& path, const std::string& why) {
    inputs_->job.left_out.push_back({path.string(), why});
  }

  void AddRun(const fs::path& folder) {
    const Status status = ClassifyPath(folder.string(), inputs_);
    if (!status.ok()) return LeaveOut(folder, Reason(folder, status));
    ++inputs_->job.found;
  }

  void AddFile(const fs::path& path) {
    std::error_code error;
    if (IsNoEvidence(path))
      return LeaveOut(path, "a program, settings or data");
    if (fs::file_size(path, error) == 0) return LeaveOut(path, "empty");
    if (path.extension() == ".json") {
      if (auto text = ErrorFileText(path.string())) {
        return AddText(path, *std::move(text));
      }
    }
    const size_t logs = inputs_->logs.size();
    const size_t texts = inputs_->texts.size();
    const Status status = ClassifyPath(path.string(), inputs_);
    if (!status.ok()) return LeaveOut(path, Reason(path, status));
    ++inputs_->job.found;
    if (inputs_->logs.size() > logs) {
      inputs_->units[path.string()] = ingest::UnitOfPath(Below(path));
    }
    if (inputs_->texts.size() > texts) {
      inputs_->texts.back().unit = ingest::UnitOfPath(Below(path));
    }
  }

  void AddText(const fs::path& path, std::string text) {
    ++inputs_->job.found;
    inputs_->texts.push_back(
        {path.string(), std::move(text), ingest::UnitOfPath(Below(path))});
  }

  fs::path root_;
  Inputs* inputs_;
  JobFolderLimits limits_;
  size_t seen_ = 0;
};

}  // namespace

Expected<bool> AddJobFolder(const std::string& folder, Inputs* inputs,
                            const JobFolderLimits& limits) {
  inputs->job.folders.push_back(folder);
  Finder finder(folder, inputs, limits);
  const size_t before = inputs->job.found;
  RETURN_IF_ERROR(finder.Look(folder, 0));
  return inputs->job.found > before;
}

}  // namespace inquest::cli
