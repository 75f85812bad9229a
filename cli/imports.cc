// SPDX-License-Identifier: Apache-2.0
#include "cli/imports.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <vector>

#include "analyzer/importers/import.h"

namespace inquest::cli {
namespace {

class TemporaryFile {
 public:
  TemporaryFile() {
    std::error_code error;
    path_ = std::filesystem::temp_directory_path(error).string() +
            "/inquest-import-XXXXXX";
    fd_ = mkstemp(path_.data());
    if (fd_ < 0) why_ = std::strerror(errno);
  }
  ~TemporaryFile() {
    if (fd_ < 0) return;
    close(fd_);
    unlink(path_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  Status status() const {
    if (fd_ >= 0) return Status::Ok();
    return Internal("cannot make the temporary file '" + path_ + "': " + why_);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::string why_;
  int fd_ = -1;
};

}  // namespace

Status AttachForeign(const ForeignInput& foreign, facts::Store* store,
                     std::vector<ingest::LogText>* printed) {
  std::vector<std::unique_ptr<TemporaryFile>> files;
  importers::ImportOutput output;
  output.next_trace = [&files]() -> Expected<std::string> {
    files.push_back(std::make_unique<TemporaryFile>());
    RETURN_IF_ERROR(files.back()->status());
    return files.back()->path();
  };
  const Status imported = foreign.importer->import(foreign.paths, &output);
  if (!imported.ok() && imported.code() != StatusCode::kIncomplete) {
    return imported;
  }
  for (const auto& file : files) {
    // A report names the given file; the trace made of it is gone by then.
    const facts::TraceInput trace{foreign.paths.front(), file->path()};
    RETURN_IF_ERROR(store->AddTrace(trace).status());
  }
  for (ingest::LogText& log : output.logs) {
    log.name = foreign.paths.front() + ":" + log.name;
    printed->push_back(std::move(log));
  }
  return imported;
}

}  // namespace inquest::cli
