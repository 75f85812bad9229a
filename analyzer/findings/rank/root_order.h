// SPDX-License-Identifier: Apache-2.0
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

// The criteria that rank one finding above another, in order.
enum class Ground : uint8_t {
  kLongPast,    // the other lies hours before it
  kNamesCause,  // the other is only an ending
  kLayer,       // it is in a lower layer: hardware before libraries
  kEarlier,     // it began earlier, by a common log or by the clock
  kConfidence,
  kCount,
  kName,  // none; equal input must give equal output
};

// Why `first` ranks above `second`, in a clause: "it began
// earlier (train.log, line 4 against line 90)".
struct Precedence {
  Ground ground = Ground::kName;
  std::string why;
};
Precedence WhyFirst(const Finding& first, const Finding& second);

// Sorts indices into `findings`. Times are only partly comparable, so this is
// not a comparison sort: within a layer it repeatedly takes, among the findings
// that no remaining one certainly preceded, the first by confidence, count and
// name.
std::vector<size_t> InOrder(const std::vector<Finding>& findings,
                            std::vector<size_t> indices);
// The same for findings that nothing explains: those that lie long before
// another of them come last (long_past.h).
std::vector<size_t> RootsInOrder(const std::vector<Finding>& findings,
                                 std::vector<size_t> roots);

}  // namespace inquest::findings
