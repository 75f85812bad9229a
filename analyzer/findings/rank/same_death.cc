// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/rank/same_death.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "analyzer/findings/rank/long_past.h"
#include "analyzer/findings/rank/relation_match.h"

namespace inquest::findings {
namespace {

// A finding of another node, or of another hour, adds nothing to this one.
bool MayBeOneDeath(const Finding& one, const Finding& root) {
  return MayBeOneHost(one.unit.host, root.unit.host) &&
         !NameDifferent(one, root, "node_id") && !IsLongPast(one, root) &&
         !IsLongPast(root, one);
}

// A lower-ranked finding of the same death may have figures and lines that the
// root lacks: the trace has the sizes, the log the program's own words.
void AddFrom(const Finding& from, const Link& link, Verdict* verdict,
             Finding* root) {
  if (!MayBeOneDeath(from, *root)) return;
  verdict->figures.AddNew(from.figures);
  // A line that names no cause, such as a traceback's first, proves none; one
  // that was taken for another event proves the root as little.
  if (from.evidence.empty() || from.cause == "unknown" ||
      link.kind == "excludes") {
    return;
  }
  const Evidence& line = from.evidence.front();
  if (!IsAmong(line, root->evidence)) AddEvidence(root, line);
}

// Whether it tells how a process of the root's rank ended.
bool IsItsEnd(const Finding& finding, const Finding& root) {
  return finding.rule.starts_with("endings.") &&
         finding.figures.Contains("pid") && MayBeOneDeath(finding, root) &&
         finding.unit.rank == root.unit.rank;
}

// Number and status of the process that the root ended: of its rank, or of the
// only one that ended.
void AddEnd(Diagnosis* diagnosis) {
  Verdict& verdict = diagnosis->verdict;
  const Finding& root = diagnosis->findings[*verdict.finding];
  std::vector<const Finding*> ends;
  for (const Finding& finding : diagnosis->findings) {
    if (IsItsEnd(finding, root)) ends.push_back(&finding);
  }
  const bool only = ends.size() == 1 && ends.front()->others.empty();
  if (ends.empty() || (!root.unit.rank && (!only || root.unit.pid))) return;
  for (const char* name : {"pid", "exitcode", "signal"}) {
    const Figure* figure = ends.front()->figures.Find(name);
    if (figure != nullptr) verdict.figures.AddIfNew(name, *figure);
  }
}

// Whether the finding is about the same failure as the root that it names: a
// program raises more exceptions than one.
bool IsSameFailure(const Link& link, const Finding& finding,
                   const Finding& root) {
  return link.kind != "explains" &&
         (link.kind != "same cause" || root.cause != "process/exception" ||
          finding.rule == root.rule);
}

// Of what the root only says better.
void AddRefined(Diagnosis* diagnosis) {
  Verdict& verdict = diagnosis->verdict;
  Finding* root = &diagnosis->findings[*verdict.finding];
  for (const Finding& finding : diagnosis->findings) {
    for (const Link& link : finding.links) {
      if (link.by != *verdict.finding) continue;
      if (IsSameFailure(link, finding, *root))
        AddFrom(finding, link, &verdict, root);
    }
  }
}

// An allocator's own line stands above the traceback of the exception that has
// its words.
void AddPlace(Diagnosis* diagnosis) {
  Finding* root = &diagnosis->findings[*diagnosis->verdict.finding];
  if (root->figures.Contains("place")) return;
  for (const Finding& finding : diagnosis->findings) {
    if (finding.standing == Standing::kSymptom && !finding.evidence.empty() &&
        finding.rule.starts_with("python.") &&
        finding.unit.rank == root->unit.rank &&
        IsSaidAmong(finding.evidence.front(), root->evidence)) {
      root->figures.AddIfNew("place", finding.figures["place"]);
      return;
    }
  }
}

// A line without a rank is of one of several; which of them failed first, its
// launcher saw.
void AddFirstSeen(Diagnosis* diagnosis) {
  Verdict& verdict = diagnosis->verdict;
  const size_t root = *verdict.finding;
  const Unit& unit = diagnosis->findings[root].unit;
  if (unit.rank || unit.pid) return;
  for (const Finding& finding : diagnosis->findings) {
    const bool explained = std::ranges::any_of(
        finding.links, [=](const Link& link) { return link.by == root; });
    if (!explained || !finding.unit.rank ||
        !finding.figures.Contains("first_seen")) {
      continue;
    }
    const std::string& host = finding.figures["node"].Text();
    verdict.summary +=
        fmt::format("; the first that its launcher saw fail was rank {}{}",
                    *finding.unit.rank, host.empty() ? "" : " on " + host);
    return;
  }
}

}  // namespace

void AddFromSameDeath(Diagnosis* diagnosis) {
  AddEnd(diagnosis);
  AddRefined(diagnosis);
  AddPlace(diagnosis);
  AddFirstSeen(diagnosis);
}

}  // namespace inquest::findings
