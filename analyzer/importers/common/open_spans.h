// SPDX-License-Identifier: Apache-2.0
// What each thread is doing at a given time: the spans of a profile that have
// begun and not ended (PyTorch operations, Python functions, annotations).
// Takes spans in time order. For kineto_trace.cc; memory is that of the open
// spans, at most kMaxDepth per thread.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "analyzer/importers/common/call_stacks.h"
#include "analyzer/importers/kineto/kineto_order.h"

namespace inquest::importers {

class OpenSpans {
 public:
  OpenSpans(const KinetoOrder& order, CallStacks* stacks)
      : order_(order), stacks_(stacks) {}

  void Begin(const OrderedEvent& span);
  // The stack of that thread, innermost first; 0 if nothing is open.
  uint32_t StackAt(int64_t thread, int64_t time_ns);

 private:
  static constexpr size_t kMaxDepth = 256;
  struct Span {
    int64_t end = 0;
    size_t name = 0;
    size_t stack = 0;
  };
  static void Close(std::vector<Span>* open, int64_t time_ns);
  uint32_t FrameOf(size_t name);
  void AddCallStack(std::string_view text, std::vector<uint32_t>* frames);

  const KinetoOrder& order_;
  CallStacks* stacks_;
  std::map<int64_t, std::vector<Span>> threads_;
  std::map<size_t, uint32_t> frames_;
};

}  // namespace inquest::importers
