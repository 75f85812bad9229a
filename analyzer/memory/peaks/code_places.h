// SPDX-License-Identifier: Apache-2.0
// What the call stack of a block says about what it is for, without its size
// and its life. For the categories at the peak (categories.h) and over time
// (timeline/category_keeper.h). Reads each stack once.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "analyzer/memory/sites/symbolize.h"

namespace inquest::memory {

enum class Code { kUnknown, kOther, kNccl, kOptimizer, kBackward, kNamed };

struct CodePlace {
  Code code = Code::kUnknown;
  std::string name;       // of kNamed: the category
  bool of_model = false;  // a function of a model, so that there is one
};

class CodePlaces {
 public:
  using StackFrames = std::function<std::vector<Frame>(int64_t stack)>;
  explicit CodePlaces(StackFrames frames) : frames_(std::move(frames)) {}

  const CodePlace& Of(int64_t stack);

 private:
  CodePlace Read(int64_t stack) const;

  StackFrames frames_;
  std::map<int64_t, CodePlace> places_;
};

}  // namespace inquest::memory
