// SPDX-License-Identifier: Apache-2.0
// Completes a truncated pickle.
#include <vector>

#include "analyzer/importers/pickle/pickle_reader.h"

namespace inquest::importers {

using Kind = PickleValue::Kind;

// Puts everything above `container` into it. An open part may be followed by
// values without a mark: a list by the one item for APPEND.
void PickleReader::CloseInto(size_t container) {
  PickleValue into = stack_[container];
  std::vector<PickleValue> items;
  for (size_t i = container + 1; i < stack_.size(); ++i) {
    const bool value_of_dict = into.is(Kind::kDict) && items.size() % 2 == 0 &&
                               !items.empty() && !stack_[i].is(Kind::kText);
    if (value_of_dict && items.back().is(Kind::kList)) {
      Fill(items.back(), std::span(stack_).subspan(i, 1));
    } else {
      items.push_back(stack_[i]);
    }
  }
  if (into.is(Kind::kDict) && items.size() % 2 != 0) items.pop_back();
  Fill(into, items);
  stack_.resize(container + 1);
  Seal(&stack_[container]);
}

PickleValue PickleReader::CloseOpenParts() {
  for (; !marks_.empty(); marks_.pop_back()) {
    if (marks_.back() == 0 || marks_.back() > stack_.size()) continue;
    CloseInto(marks_.back() - 1);
  }
  if (stack_.empty()) return {};
  if (stack_.size() > 1) CloseInto(0);
  return stack_.front();
}

}  // namespace inquest::importers
