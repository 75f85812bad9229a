// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/job/where_to_look.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/ranges.h"

namespace inquest::findings {
namespace {

constexpr size_t kMaxPointedAt = 8;  // ranks that a sentence asks to look at

bool Contains(const Ranks& ranks, int64_t rank) {
  return std::ranges::binary_search(ranks, rank);
}

void AskToLook(const Job& job, Diagnosis* diagnosis) {
  const auto& suspects = job.suspects;
  if (suspects.empty() || suspects.size() > kMaxPointedAt) return;
  std::set<int64_t> ranks;
  for (const Suspect& one : suspects) ranks.insert(one.rank);
  std::string text = "look at " + RanksInWords(ranks);
  const std::string& host = suspects.front().host;
  if (suspects.size() == 1 && !host.empty()) text += " on " + host;
  diagnosis->verdict.summary += "; " + text;
}

// A rank that reports its own wait is not where it began.
void NameSuspect(const Job& job, Diagnosis* diagnosis) {
  const Finding& root = diagnosis->findings[*diagnosis->verdict.finding];
  const Ranks sufferers = SufferersOf(job);
  const auto& rank = root.unit.rank;
  if (!rank || sufferers.size() < 2 || !Contains(sufferers, *rank)) return;
  Unit where;
  if (job.suspects.size() == 1) {
    where.rank = job.suspects.front().rank;
    where.host = job.suspects.front().host;
  }
  diagnosis->verdict.where = where;
}

// Of what a program does by itself.
bool BlamesProgram(const std::string& cause) {
  return cause == "process/exception" || cause.starts_with("data/") ||
         cause.starts_with("access/") || cause.starts_with("build/") ||
         cause.starts_with("version/");
}

Ranks RanksWith(const Diagnosis& diagnosis) {
  const Finding& root = diagnosis.findings[*diagnosis.verdict.finding];
  std::set<int64_t> ranks;
  const auto add = [&](const Finding& finding) {
    if (finding.message != root.message) return;
    if (finding.unit.rank) ranks.insert(*finding.unit.rank);
    for (const Unit& other : finding.others) {
      if (other.rank) ranks.insert(*other.rank);
    }
  };
  add(root);
  for (const size_t i : diagnosis.verdict.alike) add(diagnosis.findings[i]);
  return {ranks.begin(), ranks.end()};
}

// The same words on every rank: no machine is at fault. The few ranks of one
// log may be of one machine, though, and the job larger.
void NameProgram(const Job& job, Diagnosis* diagnosis) {
  Verdict& verdict = diagnosis->verdict;
  const bool whole = job.world == static_cast<int64_t>(job.ranks.size());
  if (!BlamesProgram(verdict.cause) || !job.missing.empty() ||
      (!whole && job.hosts.size() < 2) || RanksWith(*diagnosis) != job.ranks) {
    return;
  }
  verdict.where = Unit();
  verdict.summary +=
      "; the same on every rank, which speaks for the program or its input and "
      "against no machine";
}

}  // namespace

Ranks SufferersOf(const Job& job) {
  std::set<int64_t> all(job.lost_peer.begin(), job.lost_peer.end());
  for (const Wait& wait : job.waits) {
    all.insert(wait.ranks.begin(), wait.ranks.end());
  }
  return {all.begin(), all.end()};
}

bool IsOpen(const Verdict& verdict) {
  return verdict.cause == "distributed/collective-timeout" ||
         verdict.cause == "distributed/peer-lost" || verdict.cause == "unknown";
}

void NameWhereToLook(const Job& job, Diagnosis* diagnosis) {
  if (!diagnosis->verdict.finding) return;
  if (IsOpen(diagnosis->verdict)) {
    NameSuspect(job, diagnosis);
    AskToLook(job, diagnosis);
  } else {
    NameProgram(job, diagnosis);
  }
}

}  // namespace inquest::findings
