// SPDX-License-Identifier: Apache-2.0
// Recognizes and imports dumps of PyTorch's flight recorder: a file of one
// rank, or all files of a folder or with a common prefix.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "analyzer/importers/common/trace_file.h"
#include "analyzer/importers/flight_recorder/flight_forms.h"
#include "analyzer/importers/kinds.h"
#include "analyzer/importers/pickle/pickle_input.h"

namespace inquest::importers {
namespace {

namespace fs = std::filesystem;

// Every dump has at least one of these keys, and other files have none.
constexpr std::string_view kKeys[] = {"pg_config", "pg_status",
                                      "profiling_name", "nccl_comm_state"};

bool BeginsDump(std::string_view bytes) {
  return BeginsPickle(bytes) || bytes.starts_with('}') ||
         bytes.starts_with(']');
}

// An object or a list of objects; not a log's "[rank0]: …".
bool BeginsJson(std::string_view bytes) {
  constexpr std::string_view kBlank = " \t\r\n";
  const size_t at = bytes.find_first_not_of(kBlank);
  if (at == bytes.npos) return false;
  const size_t next = bytes.find_first_not_of(kBlank, at + 1);
  if (next == bytes.npos) return false;
  return (bytes[at] == '{' && bytes[next] == '"') ||
         (bytes[at] == '[' && bytes[next] == '{');
}

// As a text in a pickle: preceded by its length, which is small, or by the
// opcode or quotation mark of protocol 0.
bool HasKey(std::string_view bytes, std::string_view key) {
  for (size_t at = bytes.find(key); at != bytes.npos;
       at = bytes.find(key, at + 1)) {
    const char before = at == 0 ? ' ' : bytes[at - 1];
    const bool length = (before >= 0 && before < ' ') && before != '\n';
    if (length || before == 'V' || before == '\'') return true;
  }
  return false;
}

// Shorter names first, so that rank 10 comes after rank 9.
bool InOrder(const std::string& a, const std::string& b) {
  return std::pair(a.size(), a) < std::pair(b.size(), b);
}

std::vector<std::string> DumpsBelow(const fs::path& folder,
                                    const std::string& prefix) {
  std::vector<std::string> dumps;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string path = entry.path().string();
    if (!entry.is_regular_file(error) ||
        !entry.path().filename().string().starts_with(prefix)) {
      continue;
    }
    if (KnowsFlightRecorder(StartOf(path))) dumps.push_back(path);
  }
  std::ranges::sort(dumps, InOrder);
  return dumps;
}

std::vector<std::string> DumpsAt(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return DumpsBelow(path, "");
  if (fs::exists(path, error)) return {path};
  const fs::path prefix(path);
  const fs::path folder =
      prefix.has_parent_path() ? prefix.parent_path() : fs::path(".");
  return DumpsBelow(folder, prefix.filename().string());
}

class Import {
 public:
  explicit Import(TraceFile* file) : records_(file) {}

  // Among many files, one that is not a dump is left out and reported.
  Status Add(std::span<const std::string> paths) {
    bool any = false;
    for (const std::string& path : paths) {
      const Status added = AddOne(path);
      any = any || added.code() != StatusCode::kUnreadable;
      if (!added.ok() && first_fault_.ok()) first_fault_ = added;
    }
    if (!any) return first_fault_;
    RETURN_IF_ERROR(records_.Finish());
    if (first_fault_.ok()) return first_fault_;
    return {StatusCode::kIncomplete, first_fault_.message()};
  }

 private:
  static constexpr size_t kFirstBytes = 256;

  Status AddOne(const std::string& path) {
    ASSIGN_OR_RETURN(ingest::LogInput input, OpenForeign(path));
    records_.BeginDump(path, input.mtime_ns);
    nlohmann::json root;
    const bool json = BeginsJson(StartOf(path).bytes.substr(0, kFirstBytes));
    const Status read =
        json ? ReadFlightJson(input.bytes.get(), &records_, &root)
             : ReadFlightPickle(input.bytes.get(), &records_, &root);
    if (read.code() == StatusCode::kUsage) {
      return Unreadable(fmt::format("'{}': {}", path, read.message()))
          .WithHint(read.hint());
    }
    records_.EndDump(root, read.message());
    return read.ok() ? read : Incomplete(path, read);
  }

  FlightRecords records_;
  Status first_fault_;
};

Status WriteAll(const std::vector<std::string>& dumps,
                const std::string& trace_path) {
  ASSIGN_OR_RETURN(TraceFile file, TraceFile::Create(trace_path));
  return Import(&file).Add(dumps);
}

}  // namespace

bool KnowsFlightRecorder(const FileStart& start) {
  const bool json = BeginsJson(start.bytes);
  if (!json && !BeginsDump(start.bytes)) return false;
  const auto is_there = [&](std::string_view key) {
    return json ? start.bytes.find(fmt::format("\"{}\"", key)) !=
                      std::string::npos
                : HasKey(start.bytes, key);
  };
  return std::ranges::any_of(kKeys, is_there);
}

Status ImportFlightRecorders(std::span<const std::string> paths,
                             ImportOutput* output) {
  ASSIGN_OR_RETURN(const std::string trace_path, output->next_trace());
  std::vector<std::string> dumps;
  for (const std::string& path : paths) {
    const std::vector<std::string> found = DumpsAt(path);
    if (found.empty()) {
      return Unreadable(fmt::format(
          "'{}' is not a dump of a flight recorder, a folder of dumps or a "
          "common prefix of their names",
          path));
    }
    dumps.insert(dumps.end(), found.begin(), found.end());
  }
  const Status written = WriteAll(dumps, trace_path);
  if (!written.ok() && written.code() != StatusCode::kIncomplete) {
    std::error_code error;
    fs::remove(trace_path, error);
  }
  return written;
}

}  // namespace inquest::importers
