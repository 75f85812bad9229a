// SPDX-License-Identifier: Apache-2.0
#include "cli/mcp/open_runs.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace inquest::mcp {
namespace {

namespace fs = std::filesystem;

std::string StateOf(const std::string& path) {
  struct stat file {};
  if (stat(path.c_str(), &file) != 0) return path;
  return fmt::format("{} {} {} {}.{}\n", path, file.st_ino, file.st_size,
                     file.st_mtim.tv_sec, file.st_mtim.tv_nsec);
}

// What tells whether a file was changed since; a folder's files too.
Expected<std::string> StateOfInput(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) {
    return Unreadable(fmt::format("'{}': {}", path, strerror(ENOENT)));
  }
  if (fs::is_regular_file(status)) return StateOf(path);
  if (!fs::is_directory(status)) {
    return Usage("'" + path + "' is neither a file nor a folder");
  }
  std::string state = StateOf(path);
  for (const auto& entry : fs::directory_iterator(path, error)) {
    state += StateOf(entry.path().native());
  }
  return state;
}

}  // namespace

Expected<cli::Session*> OpenRuns::Open(const std::vector<std::string>& paths,
                                       const std::vector<std::string>& logs) {
  std::string what;
  for (const auto* list : {&paths, &logs}) {
    for (const std::string& path : *list) {
      ASSIGN_OR_RETURN(const std::string state, StateOfInput(path));
      what += (list == &logs ? "log " : "") + state;
    }
  }
  if (session_ != nullptr && what == what_) return session_.get();
  session_.reset();  // before the next one takes its memory
  diagnosed_ = false;
  cli::SessionOptions options;
  options.paths = paths;
  options.logs = logs;
  ASSIGN_OR_RETURN(cli::Session session, cli::Session::Open(options));
  session_ = std::make_unique<cli::Session>(std::move(session));
  what_ = what;
  return session_.get();
}

Expected<cli::Session*> OpenRuns::Diagnosed(
    const std::vector<std::string>& paths,
    const std::vector<std::string>& logs) {
  ASSIGN_OR_RETURN(cli::Session * session, Open(paths, logs));
  if (diagnosed_) return session;
  if (Status status = session->Diagnose(); !status.ok()) {
    session_.reset();
    return status;
  }
  diagnosed_ = true;
  return session;
}

}  // namespace inquest::mcp
