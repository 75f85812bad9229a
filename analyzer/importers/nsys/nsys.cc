// SPDX-License-Identifier: Apache-2.0
// Recognizes and imports exports of Nsight Systems: each process that did
// something becomes a trace.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include "analyzer/importers/kinds.h"
#include "analyzer/importers/nsys/nsys_events.h"

namespace inquest::importers {
namespace {

constexpr std::string_view kMagic("SQLite format 3\0", 16);
constexpr size_t kMaxPrinted = 64 << 20;  // bytes
constexpr size_t kApplicationId = 68;     // in the header of a database

// The decompressed database, which is removed when it has been read.
class UnpackedFile {
 public:
  ~UnpackedFile() {
    if (fd_ < 0) return;
    close(fd_);
    unlink(path_.c_str());
  }
  UnpackedFile() = default;
  UnpackedFile(const UnpackedFile&) = delete;
  UnpackedFile& operator=(const UnpackedFile&) = delete;

  // Returns its path. `fault` says what was wrong with the compression.
  Expected<std::string> Of(const std::string& path, std::string* fault);

 private:
  Status Copy(ingest::ByteStream* bytes);

  std::string path_;
  int fd_ = -1;
};

Status UnpackedFile::Copy(ingest::ByteStream* bytes) {
  std::vector<char> buffer(1 << 20);
  while (const size_t size = bytes->Read(buffer.data(), buffer.size())) {
    for (size_t done = 0; done < size;) {
      const ssize_t wrote = write(fd_, buffer.data() + done, size - done);
      if (wrote < 0 && errno != EINTR) {
        return Internal("cannot unpack into '" + path_ +
                        "': " + std::strerror(errno));
      }
      if (wrote > 0) done += static_cast<size_t>(wrote);
    }
  }
  return Status::Ok();
}

Expected<std::string> UnpackedFile::Of(const std::string& path,
                                       std::string* fault) {
  ASSIGN_OR_RETURN(ingest::LogInput input, OpenForeign(path));
  if (input.packing == "none") return path;
  std::error_code error;
  path_ = std::filesystem::temp_directory_path(error).string() +
          "/inquest-unpacked-XXXXXX";
  fd_ = mkstemp(path_.data());
  if (fd_ < 0) {
    return Internal("cannot make the temporary file '" + path_ +
                    "': " + std::strerror(errno));
  }
  RETURN_IF_ERROR(Copy(input.bytes.get()));
  *fault = input.bytes->fault().note;
  return path_;
}

// The program's output, if nsys captured it.
void ReadOutput(ForeignTables* tables, std::vector<ingest::LogText>* logs) {
  if (!tables->Has("ProcessStreams", "filenameId") ||
      !tables->Has("ProcessStreams", "contentId")) {
    return;
  }
  ForeignRows rows = tables->Query(
      "SELECT f.value, c.value FROM ProcessStreams AS p "
      "LEFT JOIN StringIds AS f ON f.id = p.filenameId "
      "JOIN StringIds AS c ON c.id = p.contentId "
      "WHERE length(c.value) > 0 LIMIT 1000");
  size_t bytes = 0;
  ingest::LogText log;
  while (bytes < kMaxPrinted && rows.Next(&log.name, &log.text)) {
    log.name = std::filesystem::path(log.name).filename().string();
    bytes += log.text.size();
    logs->push_back(log);
  }
}

Status ImportTables(ForeignTables* tables, ImportOutput* output) {
  NsysHead head = ReadNsysHead(tables);
  // A run without events still shows the machine.
  if (head.processes.empty()) head.processes.emplace_back();
  NsysTraces traces;
  for (const NsysProcess& process : head.processes) {
    ASSIGN_OR_RETURN(const std::string path, output->next_trace());
    ASSIGN_OR_RETURN(TraceFile file, TraceFile::Create(path));
    traces.emplace(process.global,
                   std::make_unique<NsysTrace>(head, process, std::move(file)));
  }
  NsysEvents(tables, head, &traces).ReadAll();
  ReadOutput(tables, &output->logs);
  for (auto& [global, trace] : traces) {
    if (!tables->fault().ok()) {
      trace->Cover("nsys", "failed", tables->fault().message());
    }
    RETURN_IF_ERROR(trace->Finish());
  }
  return Status::Ok();
}

}  // namespace

bool KnowsNsys(const FileStart& start) {
  const std::string_view bytes = start.bytes;
  if (!bytes.starts_with(kMagic) || bytes.size() < kApplicationId + 4 ||
      bytes.substr(kApplicationId, 4) == "INQU") {
    return false;
  }
  auto tables = ForeignTables::Open(start.path);
  if (tables.ok()) return IsNsysExport(*tables);
  // Compressed or damaged: look for table names in the first pages.
  for (const char* name : {"StringIds", "TARGET_INFO_", "CUPTI_ACTIVITY_KIND_",
                           "META_DATA", "NVTX_EVENTS"}) {
    if (bytes.find(name) != bytes.npos) return true;
  }
  return false;
}

Status ImportNsys(std::span<const std::string> paths, ImportOutput* output) {
  const std::string& path = paths.front();
  UnpackedFile unpacked;
  std::string packing;
  ASSIGN_OR_RETURN(const std::string plain, unpacked.Of(path, &packing));
  auto tables = ForeignTables::Open(plain);
  if (!tables.ok() || !IsNsysExport(*tables)) {
    const std::string why =
        tables.ok() ? "its tables are missing" : tables.status().message();
    return Unreadable(fmt::format(
                          "'{}' cannot be read as an export of Nsight Systems: "
                          "{}",
                          path, why))
        .WithHint("export it again: nsys export --type=sqlite report.nsys-rep");
  }
  RETURN_IF_ERROR(ImportTables(&*tables, output));
  if (tables->fault().ok() && packing.empty()) return Status::Ok();
  return Incomplete(
      path,
      Unreadable(tables->fault().ok() ? packing : tables->fault().message()));
}

}  // namespace inquest::importers
