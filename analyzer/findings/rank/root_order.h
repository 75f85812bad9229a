// The order of roots: which of several findings that nothing explains is the
// verdict. Used by the ranking, and by `inquest explain` to say why a rival
// lost.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/findings/finding.h"

namespace inquest::findings {

// What puts one finding before another, in the order in which it is asked.
enum class Ground : uint8_t {
  kNamesCause,  // the other is a mere ending
  kLayer,       // it lies nearer to the root of things
  kEarlier,     // it began earlier, by a common log or by the clock
  kConfidence,
  kCount,
  kName,  // nothing; equal input must give equal output
};

// Why `first` stands before `second` in the order, in a clause: "it began
// earlier (train.log, line 4 against line 90)".
struct Precedence {
  Ground ground = Ground::kName;
  std::string why;
};
Precedence WhyFirst(const Finding& first, const Finding& second);

// Sorts indices into `findings`. Beginnings are only partly comparable, so this
// is no comparison sort: within a layer, of those that nothing left began
// certainly before, the first by confidence, count and name is taken.
std::vector<size_t> InOrder(const std::vector<Finding>& findings,
                            std::vector<size_t> indices);

}  // namespace inquest::findings
