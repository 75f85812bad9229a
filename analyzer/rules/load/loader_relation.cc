// SPDX-License-Identifier: Apache-2.0
// Entries of `relations:`.

#include <algorithm>
#include <limits>

#include "analyzer/rules/load/format_words.h"
#include "analyzer/rules/load/loader_parts.h"
#include "base/text.h"
#include "base/units.h"

namespace inquest::rules {
namespace {

using Kind = Relation::Kind;
using Scope = Relation::Scope;

// A bare number is refused: readers would not know its unit.
int64_t ReadWithin(Fields* fields) {
  const std::string text = fields->Text("within");
  if (text.empty()) return 0;
  const auto ms = ParseMilliseconds(text);
  const bool unit =
      std::any_of(text.begin(), text.end(), [](char c) { return IsAlpha(c); });
  constexpr int64_t kNsPerMs = 1'000'000;
  if (!ms || !unit || *ms <= 0 ||
      *ms > std::numeric_limits<int64_t>::max() / kNsPerMs) {
    fields->Error(fields->Where("within"),
                  {"R051", "'" + text + "' is not a length of time", "",
                   "write a number with its unit: 60s, 30min, 2h"});
    return 0;
  }
  return *ms * kNsPerMs;
}

// Each end is compared with each finding.
void CheckEnds(const std::vector<std::string>& ends, const char* key,
               Fields* fields) {
  constexpr size_t kMaxEnds = 50;
  constexpr size_t kMaxName = 256;
  const bool long_name =
      std::any_of(ends.begin(), ends.end(),
                  [](const std::string& one) { return one.size() > kMaxName; });
  if (ends.size() <= kMaxEnds && !long_name) return;
  fields->Error(fields->Where(key),
                {"R004",
                 long_name ? "a name of more than 256 characters"
                           : "more than 50 causes or ids",
                 "", "'*' stands for any characters"});
}

}  // namespace

void ReadRelation(Fields fields, RuleSet* set) {
  fields.Check(RelationFormat());
  Relation relation;
  relation.from = fields.Texts("from");
  relation.to = fields.Texts("to");
  relation.kind = fields.Choice("kind", kKinds, Kind::kExplains);
  relation.scope = fields.Choice("scope", kScopes, Scope::kProcess);
  relation.any_order = fields.Choice("order", kOrders, false);
  CheckEnds(relation.from, "from", &fields);
  CheckEnds(relation.to, "to", &fields);
  relation.within_ns = ReadWithin(&fields);
  relation.same = fields.Texts("same");
  std::ranges::sort(relation.same);
  relation.why = fields.Text("why");
  relation.place = fields.place();
  if (!fields.failed()) set->relations.push_back(std::move(relation));
}

}  // namespace inquest::rules
