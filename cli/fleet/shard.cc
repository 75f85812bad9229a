// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/shard.h"

#include <charconv>
#include <sstream>

#include "base/input_file.h"

namespace inquest::cli {
namespace {

constexpr size_t kMaxList = 256 << 20;

bool NumberOf(std::string_view text, size_t* number) {
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, *number);
  return !text.empty() && parsed.ec == std::errc() && parsed.ptr == end;
}

}  // namespace

Expected<Shard> ReadShard(const std::string& text) {
  Shard shard;
  if (text.empty()) return shard;
  const size_t slash = text.find('/');
  if (slash == text.npos ||
      !NumberOf(std::string_view(text).substr(0, slash), &shard.index) ||
      !NumberOf(std::string_view(text).substr(slash + 1), &shard.count) ||
      shard.index >= shard.count) {
    return Usage("--shard '" + text + "' is not I/N with I from 0 to N-1")
        .WithHint("the first of 16 shares is 0/16");
  }
  return shard;
}

std::vector<std::string> ShareOf(const std::vector<std::string>& all,
                                 const Shard& shard) {
  std::vector<std::string> share;
  for (size_t i = shard.index; i < all.size(); i += shard.count) {
    share.push_back(all[i]);
  }
  return share;
}

Expected<std::vector<std::string>> ReadPathList(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ReadInput("the list of runs", path,
                                                     Links::kFollow, kMaxList));
  std::vector<std::string> paths;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.front() != '#') paths.push_back(line);
  }
  return paths;
}

}  // namespace inquest::cli
