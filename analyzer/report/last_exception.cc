// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/last_exception.h"

#include <algorithm>

#include "base/text.h"

namespace inquest::report {
namespace {

using findings::Diagnosis;
using findings::Evidence;
using findings::Finding;
using findings::Link;

// Of the verdict's own process or of one that nothing tells apart, and neither
// survived nor told more precisely by another finding.
bool MayEnd(const Finding& finding, const Finding& root) {
  const bool other_rank = finding.unit.rank && root.unit.rank &&
                          finding.unit.rank != root.unit.rank;
  return finding.rule.starts_with("python.") && !other_rank &&
         finding.standing == findings::Standing::kSymptom &&
         finding.figures.Contains("exception") &&
         std::ranges::all_of(finding.links, [](const Link& link) {
           return link.kind == "explains";
         });
}

}  // namespace

const Evidence* LastException(const Diagnosis& diagnosis) {
  if (!diagnosis.verdict.finding) return nullptr;
  const Finding& root = diagnosis.findings[*diagnosis.verdict.finding];
  if (root.evidence.empty() || root.evidence.front().line == 0) return nullptr;
  const Evidence* last = &root.evidence.front();
  for (const Finding& finding : diagnosis.findings) {
    if (!MayEnd(finding, root)) continue;
    for (const Evidence& one : finding.evidence) {
      const bool later = one.source == last->source && one.line > last->line;
      if (later && !Trim(one.text).ends_with(':')) last = &one;
    }
  }
  return findings::IsSaidAmong(*last, root.evidence) ? nullptr : last;
}

}  // namespace inquest::report
