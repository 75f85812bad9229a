#include "cli/imports.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

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

Status ImportForeign(const ForeignFile& file, const std::string& trace_path) {
  if (file.more.empty()) return file.importer->import(file.path, trace_path);
  std::vector<std::string> paths = {file.path};
  paths.insert(paths.end(), file.more.begin(), file.more.end());
  return file.importer->import_all(paths, trace_path);
}

Status AttachForeign(const ForeignFile& foreign, facts::Store* store) {
  const TemporaryFile file;
  RETURN_IF_ERROR(file.status());
  const Status imported = ImportForeign(foreign, file.path());
  if (!imported.ok() && imported.code() != StatusCode::kIncomplete) {
    return imported;
  }
  auto process = store->AddTrace(file.path());
  return process.ok() ? imported : process.status();
}

}  // namespace inquest::cli
