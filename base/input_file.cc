// SPDX-License-Identifier: Apache-2.0
#include "base/input_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace inquest {
namespace {

constexpr size_t kPiece = 64 << 10;

Status Refused(const std::string& name, const std::string& why) {
  return Unreadable("cannot read " + name + ": " + why);
}

std::string KindOf(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a named pipe";
  return S_ISSOCK(mode) ? "a socket" : "a device";
}

// What to do instead. Links are refused only in the directory of a run.
std::string HintFor(mode_t mode, Links links) {
  if (links == Links::kRefuse) {
    return "a run has plain files only; remove it, or name the other files "
           "one by one";
  }
  return S_ISDIR(mode) ? "name the files in it"
                       : "to read a stream, pipe it in and name '-'";
}

Status ItIs(const std::string& name, mode_t mode, Links links) {
  return Refused(name, "it is " + KindOf(mode)).WithHint(HintFor(mode, links));
}

Status ItIsALink(const std::string& name) {
  return Refused(name, "it is a symbolic link")
      .WithHint(
          "links in a run's folder are not followed; name the file that it "
          "leads to");
}

// <(command) and /dev/stdin are pipes that are already open.
bool IsOwnDescriptor(const std::string& path) {
  return path.starts_with("/dev/fd/") || path.starts_with("/proc/self/fd/") ||
         path == "/dev/stdin";
}

}  // namespace

Expected<InputFile> InputFile::Open(std::string_view what,
                                    const std::string& path, Links links) {
  InputFile file;
  file.name_ = std::string(what) + " " + path;
  const bool own = links == Links::kFollow && IsOwnDescriptor(path);
  // Without O_NONBLOCK, opening a named pipe would wait for a writer.
  const int no_links = links == Links::kRefuse ? O_NOFOLLOW : 0;
  file.fd_ = open(path.c_str(),
                  O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | no_links);
  if (file.fd_ < 0) {
    const int why = errno;
    const bool is_link = no_links != 0 && why == ELOOP;
    // A socket cannot be opened at all.
    if (why == ENXIO && stat(path.c_str(), &file.facts_) == 0) {
      return ItIs(file.name_, file.facts_.st_mode, links);
    }
    return is_link ? ItIsALink(file.name_)
                   : Refused(file.name_, std::strerror(why));
  }
  if (fstat(file.fd_, &file.facts_) != 0) {
    return Refused(file.name_, std::strerror(errno));
  }
  const bool pipe = own && S_ISFIFO(file.facts_.st_mode);
  if (!file.is_regular() && !pipe) {
    return ItIs(file.name_, file.facts_.st_mode, links);
  }
  fcntl(file.fd_, F_SETFL, fcntl(file.fd_, F_GETFL) & ~O_NONBLOCK);
  return file;
}

InputFile::InputFile(InputFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      facts_(other.facts_),
      name_(std::move(other.name_)) {}

InputFile::~InputFile() {
  if (fd_ >= 0) close(fd_);
}

int InputFile::Release() {
  return std::exchange(fd_, -1);
}

Status InputFile::Read(size_t most, std::string* text) const {
  while (most > 0) {
    const size_t had = text->size();
    const size_t want = std::min(most, kPiece);
    text->resize(had + want);
    const ssize_t got = read(fd_, text->data() + had, want);
    const int why = errno;
    text->resize(had + (got > 0 ? static_cast<size_t>(got) : 0));
    if (got < 0 && why == EINTR) continue;
    if (got < 0) return Refused(name_, std::strerror(why));
    if (got == 0) break;
    most -= static_cast<size_t>(got);
  }
  return Status::Ok();
}

Status CheckInput(std::string_view what, const std::string& path, Links links) {
  return InputFile::Open(what, path, links).status();
}

Expected<std::string> ReadInput(std::string_view what, const std::string& path,
                                Links links, size_t most) {
  ASSIGN_OR_RETURN(const InputFile file, InputFile::Open(what, path, links));
  std::string text;
  RETURN_IF_ERROR(file.Read(most + 1, &text));
  if (text.size() <= most) return text;
  return Refused(std::string(what) + " " + path,
                 "it has more than " + std::to_string(most) + " bytes");
}

std::string ReadStart(const std::string& path, size_t most) {
  const auto file = InputFile::Open("", path, Links::kFollow);
  std::string bytes;
  if (file.ok() && file->is_regular()) (void)file->Read(most, &bytes).ok();
  return bytes;
}

}  // namespace inquest
