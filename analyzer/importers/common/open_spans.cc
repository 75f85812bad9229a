// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/common/open_spans.h"

#include <algorithm>

namespace inquest::importers {

void OpenSpans::Close(std::vector<Span>* open, int64_t time_ns) {
  while (!open->empty() && open->back().end <= time_ns) open->pop_back();
}

void OpenSpans::Begin(const OrderedEvent& span) {
  std::vector<Span>& open = threads_[span.thread];
  Close(&open, span.time_ns);
  if (open.size() >= kMaxDepth) return;
  open.push_back({span.time_ns + span.duration_ns, span.name, span.stack});
}

uint32_t OpenSpans::StackAt(int64_t thread, int64_t time_ns) {
  const auto found = threads_.find(thread);
  if (found == threads_.end()) return 0;
  std::vector<Span>& open = found->second;
  Close(&open, time_ns - 1);
  std::vector<uint32_t> frames;
  for (auto span = open.rbegin(); span != open.rend(); ++span) {
    frames.push_back(FrameOf(span->name));
    if (span->stack == 0) continue;
    // An operation's surroundings are in its own call stack.
    AddCallStack(order_.Text(span->stack), &frames);
    break;
  }
  return stacks_->Stack(frames);
}

uint32_t OpenSpans::FrameOf(size_t name) {
  const auto [frame, is_new] = frames_.try_emplace(name, 0);
  if (is_new) frame->second = stacks_->Frame(order_.Text(name));
  return frame->second;
}

void OpenSpans::AddCallStack(std::string_view text,
                             std::vector<uint32_t>* frames) {
  while (!text.empty() && frames->size() < kMaxDepth) {
    const size_t end = std::min(text.find(';'), text.size());
    frames->push_back(stacks_->Frame(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace inquest::importers
