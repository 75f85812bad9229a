// SPDX-License-Identifier: Apache-2.0
// What may be opened as an input: plain files, at once.
#include "base/input_file.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

#include "tests/catch_compat.h"
#include "trace/testing/temp_dir.h"

using inquest::CheckInput;
using inquest::InputFile;
using inquest::Links;
using inquest::ReadInput;
using inquest::ReadStart;
using inquest::StatusCode;
using inquest::trace::TempDir;

namespace {

std::string Written(const TempDir& dir, const std::string& text) {
  const std::string path = dir.File("plain");
  std::ofstream(path) << text;
  return path;
}

void CheckRefused(const std::string& path, const std::string& why) {
  for (const Links links : {Links::kFollow, Links::kRefuse}) {
    const auto status = CheckInput("the log", path, links);
    CHECK(status.code() == StatusCode::kUnreadable);
    CHECK_THAT(status.message(), HasText("the log " + path + ": " + why));
    CHECK_FALSE(status.hint().empty());
  }
  CHECK(ReadStart(path, 10).empty());
}

}  // namespace

TEST_CASE("what is no plain file is refused at once, with its kind") {
  const TempDir dir;
  REQUIRE(mkfifo(dir.File("pipe").c_str(), 0600) == 0);
  CheckRefused(dir.File("pipe"), "it is a named pipe");
  CheckRefused(dir.path(), "it is a folder");
  CheckRefused("/dev/zero", "it is a device");
  sockaddr_un address = {AF_UNIX, {}};
  std::strncpy(address.sun_path, dir.File("socket").c_str(),
               sizeof address.sun_path - 1);
  const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  REQUIRE(bind(listener, reinterpret_cast<const sockaddr*>(&address),
               sizeof address) == 0);
  CheckRefused(dir.File("socket"), "it is a socket");
  close(listener);
}

TEST_CASE("a link is followed only where the user may name one") {
  const TempDir dir;
  const std::string plain = Written(dir, "text");
  REQUIRE(symlink(plain.c_str(), dir.File("link").c_str()) == 0);
  REQUIRE(symlink("/dev/zero", dir.File("zeros").c_str()) == 0);
  CHECK(*ReadInput("the log", dir.File("link"), Links::kFollow, 9) == "text");
  const auto refused = CheckInput("the log", dir.File("link"), Links::kRefuse);
  CHECK_THAT(refused.message(), HasText("it is a symbolic link"));
  CHECK_THAT(CheckInput("the log", dir.File("zeros"), Links::kFollow).message(),
             HasText("it is a device"));
}

TEST_CASE("a whole file is read up to a bound") {
  const TempDir dir;
  const std::string plain = Written(dir, std::string(200'000, 'x'));
  CHECK(ReadInput("it", plain, Links::kRefuse, 200'000)->size() == 200'000);
  const auto more = ReadInput("it", plain, Links::kRefuse, 199'999);
  CHECK_THAT(more.status().message(), HasText("more than 199999 bytes"));
  CHECK(ReadStart(plain, 7) == "xxxxxxx");
}

TEST_CASE("a pipe that is already open can be read") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  REQUIRE(write(ends[1], "line", 4) == 4);
  close(ends[1]);
  const std::string path = "/dev/fd/" + std::to_string(ends[0]);
  CHECK(*ReadInput("the log", path, Links::kFollow, 9) == "line");
  close(ends[0]);
}

TEST_CASE("an opened file is closed by its last owner") {
  const TempDir dir;
  int fd = -1;
  {
    auto file = InputFile::Open("it", Written(dir, "a"), Links::kRefuse);
    REQUIRE(file.ok());
    CHECK(file->is_regular());
    const InputFile moved = file.Take();
    fd = moved.fd();
    CHECK(fcntl(fd, F_GETFD) == FD_CLOEXEC);
  }
  CHECK(fcntl(fd, F_GETFD) == -1);
}
