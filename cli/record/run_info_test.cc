// SPDX-License-Identifier: Apache-2.0
#include "cli/record/run_info.h"

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/catch_compat.h"

namespace inquest::record {
namespace {

class Folder {
 public:
  Folder() {
    char name[] = "/tmp/inquest_run_info_XXXXXX";
    path_ = mkdtemp(name);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }
  void Put(const std::string& text) const {
    std::ofstream(path_ + "/run.json", std::ios::binary) << text;
  }
  std::string Get() const {
    std::ifstream file(path_ + "/run.json");
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::string path_;
};

RunInfo Sample() {
  RunInfo info;
  info.command = {"python", "train.py", "--name", "ä \" \n"};
  info.cwd = "/data";
  info.host = "node7";
  info.pid = 4711;
  info.start_ns = 1795169702123456789;
  info.console_log = "console.log";
  info.job["RANK"] = "3";
  return info;
}

TEST_CASE("run.json comes back as it was written") {
  Folder folder;
  RunInfo info = Sample();
  info.end_ns = info.start_ns + 5;
  info.signal = 9;
  info.console_bytes = 5'000'000'000;
  info.console_left_open = true;
  info.collector_missing = "why";
  REQUIRE(WriteRunInfo(folder.path(), info).ok());
  const Expected<RunInfo> back = ReadRunInfo(folder.path());
  REQUIRE(back.ok());
  CHECK(back->command == info.command);
  CHECK(back->start_ns == info.start_ns);
  CHECK(back->end_ns == info.end_ns);
  CHECK(back->signal == 9);
  CHECK_FALSE(back->exit_status.has_value());
  CHECK(back->console_bytes == info.console_bytes);
  CHECK(back->console_left_open);
  CHECK(back->collector_missing == "why");
  CHECK(back->job == info.job);
  CHECK(back->ended());
}

TEST_CASE("a run that was cut off has not ended") {
  Folder folder;
  REQUIRE(WriteRunInfo(folder.path(), Sample()).ok());
  CHECK_FALSE(ReadRunInfo(folder.path())->ended());
  CHECK_THAT(folder.Get(), HasText("\"state\": \"running\""));
  CHECK_THAT(folder.Get(), HasText("2026-11-20T10:15:02.123Z"));
}

TEST_CASE("an argument that is not UTF-8 does not spoil the file") {
  Folder folder;
  RunInfo info = Sample();
  info.command = {"prog", "\xff\xfe"};
  REQUIRE(WriteRunInfo(folder.path(), info).ok());
  REQUIRE(ReadRunInfo(folder.path()).ok());
}

TEST_CASE("what is not a run's is refused with a reason") {
  Folder folder;
  const auto message = [&folder](const std::string& text) {
    folder.Put(text);
    const Expected<RunInfo> read = ReadRunInfo(folder.path());
    REQUIRE_FALSE(read.ok());
    CHECK(read.status().code() == StatusCode::kUnreadable);
    return read.status().message();
  };
  CHECK_THAT(ReadRunInfo(folder.path()).status().message(),
             HasText("No such file"));
  CHECK_THAT(message(""), HasText("before it started the command"));
  const std::string whole = RunInfoToJson(Sample());
  CHECK_THAT(message(whole.substr(0, whole.size() / 2)), HasText("not JSON"));
  CHECK_THAT(message("{}"), HasText("not written by inquest"));
  CHECK_THAT(message("[1]"), HasText("not written by inquest"));
  CHECK_THAT(message(R"({"schema": "inquest.run/"})"), HasText("not written"));
  CHECK_THAT(message(R"({"schema": "inquest.run/2"})"), HasText("knows"));
  CHECK_THAT(ReadRunInfo(folder.path()).status().hint(), HasText("version"));
}

TEST_CASE("fields of another type count as missing") {
  Folder folder;
  folder.Put(R"({"schema": "inquest.run/1", "command": 3, "signal": "x",
                 "console": 7, "job": {"RANK": 3}, "host": "h",
                 "end_ns": 1e400, "pid": [], "more": true})");
  const Expected<RunInfo> read = ReadRunInfo(folder.path());
  // 1e400 is no JSON number: such a file is damaged as a whole.
  CHECK_FALSE(read.ok());
  folder.Put(R"({"schema": "inquest.run/1", "command": 3, "signal": "x",
                 "console": 7, "job": {"RANK": 3}, "host": "h", "pid": []})");
  const Expected<RunInfo> tolerant = ReadRunInfo(folder.path());
  REQUIRE(tolerant.ok());
  CHECK(tolerant->host == "h");
  CHECK(tolerant->command.empty());
  CHECK_FALSE(tolerant->signal.has_value());
}

}  // namespace
}  // namespace inquest::record
