// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/rank/alike.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "base/ranges.h"

namespace inquest::findings {
namespace {

void Add(const std::string& part, std::string* text) {
  if (!text->empty()) *text += ", ";
  *text += part;
}

// A process is identified by its trace, or else by what its log lines say.
auto ProcessKey(const Unit& unit) {
  const bool recorded = unit.process.has_value();
  return std::tuple(unit.process, recorded ? "" : unit.host,
                    recorded ? std::nullopt : unit.rank,
                    recorded || unit.rank ? std::nullopt : unit.pid);
}

// Whether two findings about collectives are about the same one.
bool SameOperation(const Finding& a, const Finding& b) {
  for (const char* name : {"seqnum", "optype"}) {
    const Figure& one = a.figures[name];
    const Figure& other = b.figures[name];
    if (!one.IsNull() && !other.IsNull() && !(one == other)) return false;
  }
  return true;
}

}  // namespace

SameCause FindSameCause(const std::vector<Finding>& findings) {
  SameCause same(findings.size());
  for (size_t i = 0; i < findings.size(); ++i) {
    for (const Link& link : findings[i].links) {
      const bool known = !same[link.by].empty() && same[link.by].back() == i;
      if (link.kind == "same cause" && !known) same[link.by].push_back(i);
    }
  }
  return same;
}

std::vector<size_t> AlikeTo(const std::vector<Finding>& findings,
                            const SameCause& same, size_t index) {
  std::vector<size_t> alike;
  for (const size_t i : same[index]) {
    if (findings[i].rule == findings[index].rule &&
        SameOperation(findings[index], findings[i])) {
      alike.push_back(i);
    }
  }
  return alike;
}

std::vector<size_t> AlikeTo(const std::vector<Finding>& findings,
                            size_t index) {
  return AlikeTo(findings, FindSameCause(findings), index);
}

void AddUnits(const Finding& finding, std::vector<const Unit*>* units) {
  units->push_back(&finding.unit);
  for (const Unit& other : finding.others) units->push_back(&other);
}

std::string WhereText(const std::vector<const Unit*>& units) {
  std::set<int64_t> ranks, devices;
  std::set<std::string> hosts;
  std::set<decltype(ProcessKey(Unit{}))> processes, on_device;
  for (const Unit* unit : units) {
    if (unit->rank) ranks.insert(*unit->rank);
    if (unit->device) {
      devices.insert(*unit->device);
      on_device.insert(ProcessKey(*unit));
    }
    if (!unit->host.empty()) hosts.insert(unit->host);
    processes.insert(ProcessKey(*unit));
  }
  // A line that names no process may be of one of the others.
  processes.erase(ProcessKey(Unit{}));
  if (processes.size() < 2 && devices.size() < 2) return {};
  std::string text;
  if (ranks.size() > 1) Add("ranks " + FormatRanges(ranks), &text);
  if (devices.size() > 1) Add("GPUs " + FormatRanges(devices), &text);
  // Each process may number the devices that it sees from 0; what has no number
  // is a line of one of the others.
  if (devices.size() == 1 && on_device.size() > 1) {
    Add(fmt::format("GPU {} of each", *devices.begin()), &text);
  }
  if (hosts.size() > 1) Add(fmt::format("{} hosts", hosts.size()), &text);
  // Ranks are processes; the lines of one may come with and without its rank.
  if (processes.size() > 1 && ranks.empty()) {
    Add(fmt::format("{} processes", processes.size()), &text);
  }
  return text;
}

namespace {

// "… on rank 0" becomes "… on ranks 0–15". False if it does not say so.
bool WidenRanks(const Figure& own, const std::string& where,
                std::string* summary) {
  if (own.IsNull() || !where.starts_with("ranks ")) return false;
  const std::string words = " on " + RanksInWords(NumbersIn(JsonText(own)));
  const size_t at = summary->find(words);
  const size_t end = at + words.size();
  const bool whole = at != summary->npos &&
                     (end == summary->size() || (*summary)[end] == ';' ||
                      ((*summary)[end] == ',' && own.IsNumber()));
  if (whole) summary->replace(at, words.size(), " on " + where);
  return whole;
}

// The ranks that a line names beside its own: "rank 3 and rank 0 both on …".
std::vector<Unit> RanksBeside(const Diagnosis& diagnosis) {
  std::vector<Unit> units;
  const auto add = [&](const Finding& finding) {
    if (finding.figures["other_rank"].IsNull()) return;
    for (const char* name : {"rank", "other_rank"}) {
      for (const Figure& one : finding.figures[name].AsList()) {
        if (!one.IsInteger()) continue;
        units.emplace_back().rank = one.Integer();
        units.back().host = finding.unit.host;
      }
    }
  };
  add(diagnosis.findings[*diagnosis.verdict.finding]);
  for (const size_t i : diagnosis.verdict.alike) add(diagnosis.findings[i]);
  return units;
}

}  // namespace

void NameAlike(Diagnosis* diagnosis) {
  Verdict& verdict = diagnosis->verdict;
  if (!verdict.finding) return;
  verdict.alike = AlikeTo(diagnosis->findings, *verdict.finding);
  const std::vector<Unit> beside = RanksBeside(*diagnosis);
  std::vector<const Unit*> units;
  AddUnits(diagnosis->findings[*verdict.finding], &units);
  for (const size_t i : verdict.alike) {
    AddUnits(diagnosis->findings[i], &units);
  }
  if (!verdict.alike.empty()) {
    for (const Unit& one : beside) units.push_back(&one);
  }
  const std::string where = WhereText(units);
  const Finding& root = diagnosis->findings[*verdict.finding];
  const Figure& own = root.figures["rank"];
  if (!where.empty() && !WidenRanks(own, where, &verdict.summary)) {
    verdict.summary += "; seen on " + where;
  }
}

}  // namespace inquest::findings
