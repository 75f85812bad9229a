// SPDX-License-Identifier: Apache-2.0
// Whether a relation holds between two findings, and if not, why. The ranking
// needs the answer, `inquest explain` the reason.
#pragma once

#include <cstdint>
#include <string_view>

#include "analyzer/findings/finding.h"
#include "analyzer/rules/model/rule_model.h"

namespace inquest::findings {

// Whether one finding began before or after another ended.
enum class Order : uint8_t { kBefore, kAfter, kUnknown };

enum class Fit : uint8_t {
  kHolds,
  kOtherCauses,  // it is about other causes
  kOtherScope,   // the findings are on different ranks, devices, hosts
  kOtherThing,   // each names another node, process, ...
  kTooLate,      // more time passed than `within` or long_past.h allows
  kWrongOrder,   // the cause began after its consequence had ended
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
// not explain itself: if both have the same, only a relation that names both by
// their ids applies.
bool IsAbout(const rules::Relation& relation, const Finding& from,
             const Finding& to);

// Does `a` begin no later than `b` ends? Decided by a log that both have lines
// in, or by the clock if the difference exceeds its error.
Order CompareOrder(const Finding& a, const Finding& b);

// Whether both have that figure, such as a node's id, and no value of it in
// common.
bool NameDifferent(const Finding& a, const Finding& b, std::string_view figure);

// Whether a pattern of a relation names this finding: a cause with `*` as
// wildcard, or "id:" and the id of a rule.
bool Names(std::string_view pattern, const Finding& finding);

}  // namespace inquest::findings
