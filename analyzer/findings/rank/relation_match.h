// SPDX-License-Identifier: Apache-2.0
// Whether a relation holds between two findings, and if not, why not. The
// ranking needs the first, `inquest explain` the second.
#pragma once

#include <cstdint>
#include <string_view>

#include "analyzer/findings/finding.h"
#include "analyzer/rules/model/rule_model.h"

namespace inquest::findings {

// When one finding began, seen from when another ended.
enum class Order : uint8_t { kBefore, kAfter, kUnknown };

enum class Fit : uint8_t {
  kHolds,
  kOtherCauses,  // it is not about these two
  kOtherScope,   // they are too far apart: another rank, device, host
  kTooLate,      // more time between them than `within` allows
  kWrongOrder,   // what should explain began after the other had ended
};

struct Match {
  Fit fit = Fit::kOtherCauses;
  Order order = Order::kUnknown;
};

Match MatchRelation(const rules::Relation& relation, const Finding& from,
                    const Finding& to);
// The same for a relation that is known to be about these two.
Match MatchPlaces(const rules::Relation& relation, const Finding& from,
                  const Finding& to);

// Whether it is about these two at all, by their rules and causes. A cause does
// not explain itself: where both have the same, only a relation that names both
// by their ids applies.
bool IsAbout(const rules::Relation& relation, const Finding& from,
             const Finding& to);

// Does `a` begin no later than `b` ends? By a log that both have lines in, or
// by the clock where its error leaves no doubt.
Order CompareOrder(const Finding& a, const Finding& b);

// Whether a pattern of a relation names this finding: a cause with `*` for
// anything, or "id:" and the id of a rule.
bool Names(std::string_view pattern, const Finding& finding);

}  // namespace inquest::findings
