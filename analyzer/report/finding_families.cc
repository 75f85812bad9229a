// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/finding_families.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/findings/rank/alike.h"

namespace inquest::report {
namespace {

using findings::Diagnosis;
using findings::Finding;

// Whether the two differ only in their unit and, where a reader sees the
// reasons, are explained the same way.
bool SameButForUnit(const Finding& a, const Finding& b, bool by_reason) {
  if (a.rule != b.rule || a.title != b.title ||
      a.links.empty() != b.links.empty()) {
    return false;
  }
  return !by_reason || a.links.empty() ||
         (a.links[0].kind == b.links[0].kind &&
          a.links[0].why == b.links[0].why);
}

}  // namespace

Family& AddTo(std::vector<Family>* families, const Diagnosis& diagnosis,
              size_t index, bool by_reason) {
  const auto& all = diagnosis.findings;
  const auto known = std::find_if(
      families->begin(), families->end(), [&](const Family& family) {
        return SameButForUnit(all[family.front()], all[index], by_reason);
      });
  if (known == families->end()) return families->emplace_back(Family{index});
  known->push_back(index);
  return *known;
}

std::string HowOften(const Diagnosis& diagnosis, const Family& family) {
  int64_t count = 0;
  std::vector<const findings::Unit*> units;
  for (const size_t i : family) {
    count += diagnosis.findings[i].count;
    findings::AddUnits(diagnosis.findings[i], &units);
  }
  if (count < 2) return {};
  const std::string where = findings::WhereText(units);
  return fmt::format(" ({}×{}{})", count, where.empty() ? "" : ": ", where);
}

}  // namespace inquest::report
