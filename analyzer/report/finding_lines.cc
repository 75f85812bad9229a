// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/finding_lines.h"

#include <algorithm>
#include <vector>

#include "analyzer/findings/rank/alike.h"
#include "analyzer/report/finding_families.h"
#include "analyzer/report/report_words.h"

namespace inquest::report {
namespace {

using findings::Diagnosis;
using findings::Finding;
using findings::Link;
using findings::Standing;

constexpr size_t kMaxLines = 6;
constexpr size_t kMaxRisksOfTheDead = 3;
constexpr size_t kWidestTitle = 160;

// Whether the line of the finding that explains it mentions it already.
bool IsMentionedElsewhere(const Diagnosis& diagnosis, const Finding& finding) {
  return std::any_of(
      finding.links.begin(), finding.links.end(), [&](const Link& link) {
        const Finding& first = diagnosis.findings[link.by];
        return link.kind == "same cause" && first.rule == finding.rule &&
               !findings::WhereText({&first.unit, &finding.unit}).empty();
      });
}

// Whether another finding says the same event more precisely, or that it was
// none: no consequence then.
bool IsSaidBetter(const Finding& finding) {
  return std::any_of(finding.links.begin(), finding.links.end(),
                     [](const Link& link) {
                       return link.kind == "refines" || link.kind == "excludes";
                     });
}

// That a program of Python ended by an exception is how nearly all of them end.
bool IsOnlyAnException(const Finding& finding) {
  return finding.cause == "process/exception" &&
         finding.rule.starts_with("python.");
}

// A symptom whose lines the verdict quotes, or that says no more than that the
// run ended, or the verdict's cause in the same place, adds nothing to read.
bool AddsNothing(const Diagnosis& diagnosis, const Finding& finding) {
  if (finding.standing != Standing::kSymptom || !diagnosis.verdict.finding) {
    return false;
  }
  const Finding& root = diagnosis.findings[*diagnosis.verdict.finding];
  const bool same_place = finding.unit.rank == root.unit.rank &&
                          finding.unit.host == root.unit.host;
  const bool only_alike =
      std::all_of(finding.links.begin(), finding.links.end(),
                  [](const Link& link) { return link.kind == "same cause"; });
  if (finding.cause == "unknown" || IsSaidBetter(finding) ||
      IsOnlyAnException(finding) ||
      (finding.cause == root.cause && (same_place || only_alike))) {
    return true;
  }
  return findings::AreAmong(finding.evidence, root.evidence);
}

bool IsQuotedByVerdict(const Diagnosis& diagnosis, const Finding& finding) {
  if (!diagnosis.verdict.finding || finding.evidence.empty()) return false;
  const Finding& root = diagnosis.findings[*diagnosis.verdict.finding];
  return findings::AreAmong(finding.evidence, root.evidence);
}

// Whether the report has the finding's number.
bool IsPrinted(const Diagnosis& diagnosis, size_t index) {
  const Finding& finding = diagnosis.findings[index];
  return diagnosis.verdict.finding == index ||
         (finding.standing != Standing::kNote &&
          !IsMentionedElsewhere(diagnosis, finding) &&
          !AddsNothing(diagnosis, finding));
}

// Whether one that is listed says the same of the same lines.
bool IsListed(const Diagnosis& diagnosis, const std::vector<Family>& families,
              const Finding& finding) {
  return std::any_of(
      families.begin(), families.end(), [&](const Family& family) {
        const Finding& first = diagnosis.findings[family.front()];
        return first.rule != finding.rule && first.title == finding.title &&
               findings::AreAmong(finding.evidence, first.evidence);
      });
}

std::vector<Family> FamiliesOf(const Diagnosis& diagnosis, Standing standing,
                               bool by_reason) {
  std::vector<Family> families;
  const auto same = findings::FindSameCause(diagnosis.findings);
  for (size_t i = 0; i < diagnosis.findings.size(); ++i) {
    const Finding& finding = diagnosis.findings[i];
    if (finding.standing != standing || diagnosis.verdict.finding == i ||
        !IsPrinted(diagnosis, i) || IsListed(diagnosis, families, finding)) {
      continue;
    }
    Family& family = AddTo(&families, diagnosis, i, by_reason);
    const auto alike = findings::AlikeTo(diagnosis.findings, same, i);
    family.insert(family.end(), alike.begin(), alike.end());
  }
  return families;
}

// The reason by a finding that the report prints, first of all the verdict's.
// If only findings that are not printed explain it, the reason behind those.
const Link* PrintedLink(const Diagnosis& diagnosis, const Finding& finding,
                        int depth = 0) {
  constexpr int kMaxDepth = 4;
  const Link* found = nullptr;
  for (const Link& link : finding.links) {
    if (diagnosis.verdict.finding == link.by) return &link;
    if (found == nullptr && IsPrinted(diagnosis, link.by)) found = &link;
  }
  for (const Link& link : finding.links) {
    if (found != nullptr || depth == kMaxDepth) break;
    found = PrintedLink(diagnosis, diagnosis.findings[link.by], depth + 1);
  }
  return found;
}

// The first member stands for its family; the reason may be known for fewer
// than all of them.
std::string Reason(const Diagnosis& diagnosis, const Family& family) {
  const auto& all = diagnosis.findings;
  const Link* link = PrintedLink(diagnosis, all[family.front()]);
  if (link == nullptr) return {};
  size_t shown = 0;
  bool others = false;
  for (const size_t i : family) {
    const Link* other = PrintedLink(diagnosis, all[i]);
    if (other == nullptr || other->kind == "same cause") continue;
    ++shown;
    others |= other->by != link->by;
  }
  std::string text = fmt::format(" — {}{}: {}", all[link->by].id,
                                 others ? " and others" : "", link->why);
  if (link->kind != "same cause" && shown < family.size()) {
    text += fmt::format(" (shown for {} of these {})", shown, family.size());
  }
  return text;
}

// A consequence has the verdict's cause: what it is taken for where it stands
// alone says nothing here.
std::string OwnCause(const Finding& finding) {
  return finding.standing == Standing::kSymptom ? "" : finding.cause + "  ";
}

}  // namespace

std::string FindingLines(const Diagnosis& diagnosis, Standing standing,
                         const char* title, bool all, const Painter& paint) {
  const std::vector<Family> families = FamiliesOf(diagnosis, standing, all);
  if (families.empty()) return {};
  std::string text = paint.Bold(title) + "\n";
  const size_t shown =
      all ? families.size() : std::min(kMaxLines, families.size());
  for (size_t i = 0; i < shown; ++i) {
    const Finding& finding = diagnosis.findings[families[i].front()];
    text += fmt::format("  {}  {}{}{}", finding.id, OwnCause(finding),
                        Printable(finding.title, kWidestTitle),
                        HowOften(diagnosis, families[i]));
    const std::string reason = all ? Reason(diagnosis, families[i]) : "";
    text += (reason.empty() ? "" : paint.Dim(reason)) + "\n";
  }
  return text + More(shown, families.size());
}

// Fewer for a run that died, and without what to do.
std::string RiskLines(const Diagnosis& diagnosis, bool all,
                      const Painter& paint) {
  const bool died = diagnosis.verdict.finding.has_value();
  std::vector<Family> families;
  for (size_t i = 0; i < diagnosis.findings.size(); ++i) {
    if (findings::IsRisk(diagnosis.findings[i]) &&
        !IsSaidBetter(diagnosis.findings[i]) &&
        !IsQuotedByVerdict(diagnosis, diagnosis.findings[i])) {
      AddTo(&families, diagnosis, i);
    }
  }
  if (families.empty()) return {};
  std::string text = paint.Bold("Risks") + "\n";
  const size_t most = died ? kMaxRisksOfTheDead : kMaxLines;
  const size_t shown = all ? families.size() : std::min(most, families.size());
  for (size_t i = 0; i < shown; ++i) {
    const Finding& finding = diagnosis.findings[families[i].front()];
    text += fmt::format("  {}  {}", finding.id, Safe(finding.title));
    if (finding.message != finding.title) text += ": " + Safe(finding.message);
    text += HowOften(diagnosis, families[i]) + "\n";
    if (died || finding.fixes.empty()) continue;
    text += fmt::format("      {}\n", Safe(finding.fixes.front().text));
  }
  return text + More(shown, families.size());
}

std::string RemarkLines(const Diagnosis& diagnosis, bool all,
                        const Painter& paint) {
  if (diagnosis.verdict.finding && !all) return {};
  std::string text;
  for (const Finding& one : diagnosis.findings) {
    if (!findings::IsRemark(one)) continue;
    text += fmt::format("  {}  {}: {}\n", one.id, Safe(one.title),
                        Safe(one.message));
  }
  return text.empty() ? text : paint.Bold("Remarks") + "\n" + text;
}

}  // namespace inquest::report
