// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <system_error>
#include <utility>

#include "base/units.h"

namespace inquest::cli {
namespace {

constexpr std::chrono::milliseconds kSilence{1000};
constexpr std::chrono::milliseconds kBetween{250};
constexpr size_t kMaxNameLength = 48;
constexpr std::string_view kClear = "\r\x1b[K";

void Write(std::string_view text) {
  // A closed terminal is not a reason to stop.
  [[maybe_unused]] const ssize_t written =
      write(STDERR_FILENO, text.data(), text.size());
}

int64_t SizeOf(const std::string& path) {
  struct stat facts {};
  const bool file = stat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode);
  return file ? facts.st_size : 0;
}

std::string Shortened(const std::string& path) {
  if (path == "-") return "standard input";
  const size_t slash = path.rfind('/');
  return Printable(slash == path.npos ? path : path.substr(slash + 1),
                   kMaxNameLength);
}

}  // namespace

Progress::Progress(std::string what) : what_(std::move(what)) {
  if (isatty(STDERR_FILENO) == 0) return;
  try {
    shower_ = std::thread([this] { Show(); });
  } catch (const std::system_error&) {
    // The thread limit is reached: nothing is shown.
  }
}

Progress::~Progress() {
  if (!shower_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  wake_.notify_all();
  shower_.join();
}

void Progress::Begin(std::string what, int64_t of) {
  const std::lock_guard lock(mutex_);
  what_ = std::move(what);
  bytes_ = 0;
  of_ = of;
}

void Progress::Reading(const std::string& path, int64_t bytes) {
  if (path != path_) {
    path_ = path;
    Begin("reading " + Shortened(path), SizeOf(path));
  }
  const std::lock_guard lock(mutex_);
  bytes_ = bytes;
}

// Unpacked bytes exceed the size of a packed file.
std::string Progress::Line() const {
  std::string line = "inquest: " + what_;
  if (bytes_ == 0) return line;
  line += ", " + FormatBytes(bytes_);
  if (of_ >= bytes_) {
    line += fmt::format(" of {} ({} %)", FormatBytes(of_), bytes_ * 100 / of_);
  }
  return line;
}

void Progress::Show() {
  std::unique_lock lock(mutex_);
  const auto ended = [this] { return ended_; };
  if (wake_.wait_for(lock, kSilence, ended)) return;
  do {
    const std::string line = Line();
    lock.unlock();
    Write(std::string(kClear) + line);
    lock.lock();
  } while (!wake_.wait_for(lock, kBetween, ended));
  Write(kClear);
}

}  // namespace inquest::cli
