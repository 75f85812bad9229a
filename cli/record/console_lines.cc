// SPDX-License-Identifier: Apache-2.0
#include "cli/record/console_lines.h"

#include <algorithm>

namespace inquest::record {
namespace {

constexpr size_t kLongestLine = 64 << 10;  // longer ones are cut at a blank

}  // namespace

bool ConsoleLines::Add(std::string_view bytes) {
  if (!log_->is_open()) return true;
  const size_t end = bytes.find_last_of("\n\r");
  if (end == bytes.npos) {
    rest_ += bytes;
    waits_ = true;
    return rest_.size() < kLongestLine || Pause();
  }
  const std::string_view after = bytes.substr(end + 1);
  bool ok;
  if (rest_.empty()) {
    ok = Write(bytes.substr(0, end + 1));
  } else {
    ok = Write(rest_.append(bytes.substr(0, end + 1)));
  }
  rest_ = after;
  waits_ = !rest_.empty();
  return ok;
}

bool ConsoleLines::Pause() {
  waits_ = false;
  const size_t blank = rest_.find_last_of(" \t");
  size_t end = blank == rest_.npos ? 0 : blank + 1;
  if (end == 0 && rest_.size() >= kLongestLine) end = rest_.size();
  const std::string begin = rest_.substr(0, end);
  rest_.erase(0, end);
  return Write(begin);
}

bool ConsoleLines::End() {
  waits_ = false;
  const std::string last = std::move(rest_);
  rest_.clear();
  return Write(last);
}

bool ConsoleLines::Write(std::string_view lines) {
  if (lines.empty()) return true;
  // A private key has several lines, which come one by one.
  if (!in_key_ && lines.find("PRIVATE KEY-----") == lines.npos) {
    const auto masked = FindAndMaskSecrets(lines);
    return log_->Write(masked ? std::string_view(*masked) : lines);
  }
  std::string result;
  while (!lines.empty()) {
    const size_t end = std::min(lines.find_first_of("\n\r"), lines.size());
    const std::string_view line = lines.substr(0, end);
    const auto masked = lines_.Masked(line);
    result.append(masked ? std::string_view(*masked) : line);
    if (end < lines.size()) result += lines[end];
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  in_key_ = lines_.in_key();
  return log_->Write(result);
}

}  // namespace inquest::record
