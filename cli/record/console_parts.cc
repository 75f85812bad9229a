// SPDX-License-Identifier: Apache-2.0
#include "cli/record/console_parts.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "cli/record/fd.h"
#include "trace/records/event.h"

namespace inquest::record {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMaxRead = uint64_t{256} << 20;

// ".<begin>.<offset>"
bool ParsePart(std::string_view name, ConsolePart* part) {
  for (uint64_t* number : {&part->begin, &part->offset}) {
    if (!name.starts_with('.')) return false;
    name.remove_prefix(1);
    const auto [end, error] =
        std::from_chars(name.data(), name.data() + name.size(), *number);
    if (error != std::errc()) return false;
    name.remove_prefix(static_cast<size_t>(end - name.data()));
  }
  return name.empty();
}

// Appends the file to `text`, within the limit.
bool AppendFile(const std::string& path, std::string* text) {
  const UniqueFd file(
      open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat info;
  if (!file.ok() || fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return false;
  }
  const size_t before = text->size();
  const auto size = static_cast<uint64_t>(info.st_size);
  if (size > kMaxRead - std::min<uint64_t>(kMaxRead, before)) return false;
  text->resize(before + size);
  size_t done = before;
  while (done < text->size()) {
    const ssize_t n = read(file.get(), &(*text)[done], text->size() - done);
    if (n <= 0) break;
    done += static_cast<size_t>(n);
  }
  text->resize(done);
  return true;
}

}  // namespace

std::string PartPath(const std::string& directory, uint64_t begin,
                     uint64_t offset) {
  return fmt::format("{}/{}.{}.{}", directory, trace::kConsoleLog, begin,
                     offset);
}

std::vector<ConsolePart> FindParts(const std::string& directory) {
  std::vector<ConsolePart> parts;
  std::error_code error;
  fs::directory_iterator files(directory, error);
  for (; !error && files != fs::directory_iterator(); files.increment(error)) {
    const std::string name = files->path().filename().native();
    ConsolePart part;
    part.path = files->path().native();
    if (name.starts_with(trace::kConsoleLog) &&
        ParsePart(name.substr(trace::kConsoleLog.size()), &part)) {
      parts.push_back(std::move(part));
    }
  }
  std::ranges::sort(parts, {}, &ConsolePart::offset);
  return parts;
}

std::string LeftOutLine(uint64_t bytes) {
  return fmt::format("[inquest: {} bytes of output are left out here]\n",
                     bytes);
}

std::optional<std::string> ReadUnfinishedConsole(const std::string& directory) {
  const std::vector<ConsolePart> parts = FindParts(directory);
  if (parts.empty()) return {};
  std::string text;
  const std::string begin = directory + "/" + std::string(trace::kConsoleLog);
  if (!AppendFile(begin, &text) || text.size() != parts.front().begin) {
    return {};  // put together already
  }
  uint64_t at = text.size();
  for (const ConsolePart& part : parts) {
    if (part.offset > at) text += LeftOutLine(part.offset - at);
    const size_t before = text.size();
    if (part.offset < at || !AppendFile(part.path, &text)) continue;
    at = part.offset + (text.size() - before);
  }
  return text;
}

}  // namespace inquest::record
