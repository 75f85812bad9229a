// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/common/call_stacks.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace inquest::importers {

uint32_t CallStacks::Frame(std::string_view text) {
  const size_t close = text.find("): ");
  const size_t open = close == text.npos ? text.npos : text.rfind('(', close);
  int64_t line = 0;
  if (open == text.npos || open == 0 ||
      std::from_chars(text.data() + open + 1, text.data() + close, line).ptr !=
          text.data() + close) {
    return Frame("", 0, text);
  }
  return Frame(text.substr(0, open), line, text.substr(close + 3));
}

uint32_t CallStacks::Frame(std::string_view file, int64_t line,
                           std::string_view function) {
  if (function.empty() && file.empty()) return 0;
  std::string key = fmt::format("{}\n{}\n{}", file, line, function);
  if (const auto known = frames_.find(key); known != frames_.end()) {
    return known->second;
  }
  if (frame_bytes_ > kMaxFrameBytes) return 0;
  frame_bytes_ += key.size();
  const auto id = static_cast<uint32_t>(frames_.size() + 1);
  frames_.emplace(std::move(key), id);
  file_->AddRow("python_frame", id, file, line, function);
  return id;
}

uint32_t CallStacks::Stack(const std::vector<uint32_t>& frames) {
  std::vector<uint32_t> kept;
  std::copy_if(frames.begin(), frames.end(), std::back_inserter(kept),
               [](uint32_t frame) { return frame != 0; });
  if (kept.empty()) return 0;
  if (const auto known = stacks_.find(kept); known != stacks_.end()) {
    return known->second;
  }
  if (depth_ > kMaxTotalDepth) {
    ++lost_;
    return 0;
  }
  depth_ += kept.size();
  const auto id = static_cast<uint32_t>(stacks_.size() + 1);
  file_->AddRow("stack", id, Blob{""});
  for (size_t depth = 0; depth < kept.size(); ++depth) {
    file_->AddRow("python_stack", id, depth, kept[depth]);
  }
  stacks_.emplace(std::move(kept), id);
  return id;
}

void CallStacks::Finish() {
  file_->Loss("stacks", lost_, "more stacks than are kept");
}

}  // namespace inquest::importers
