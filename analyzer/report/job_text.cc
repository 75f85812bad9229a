// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/job_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "analyzer/findings/job/job.h"
#include "base/ranges.h"
#include "base/units.h"

namespace inquest::report {
namespace {

using findings::Diagnosis;
using findings::Job;
using findings::Ranks;
using nlohmann::json;

constexpr size_t kMaxNamed = 4;
constexpr size_t kMaxRanges = 12;  // a line has room for
constexpr int64_t kNotableOffset = 1'000'000'000;

std::string RanksText(const Ranks& ranks) {
  return fmt::format("rank{} {}", ranks.size() == 1 ? "" : "s",
                     FormatRanges({ranks.begin(), ranks.end()}, kMaxRanges));
}

std::string SizeText(const Job& job) {
  std::string text =
      fmt::format("{} ({})", RanksText(job.ranks), job.ranks.size());
  // Without the job's size there may be more of them.
  text += job.world > 0 ? fmt::format(" of {}", job.world) : ", perhaps more";
  if (!job.hosts.empty()) {
    text += fmt::format(" on {} node{}", job.hosts.size(),
                        job.hosts.size() == 1 ? " " + job.hosts.front() : "s");
  }
  if (!job.missing.empty()) {
    text += fmt::format("; nothing of {}", RanksText(job.missing));
  }
  if (!job.cut.empty()) {
    text +=
        fmt::format("; cut in the middle of a line: {}", RanksText(job.cut));
  }
  return text;
}

std::string WaitText(const findings::Wait& wait) {
  std::string text = RanksText(wait.ranks) + " waited in " + wait.optype;
  if (wait.seqnum) text += fmt::format(" {}", *wait.seqnum);
  return text;
}

std::string SuspectText(const findings::Suspect& suspect) {
  return fmt::format("rank {}{}: {}", suspect.rank,
                     suspect.host.empty() ? "" : " on " + suspect.host,
                     suspect.why);
}

// Clocks that are far from the others', and whether any is unrelated.
std::vector<std::string> ClockTexts(const Job& job) {
  std::vector<std::string> texts;
  size_t untied = 0;
  size_t off = 0;
  for (const findings::JobClock& clock : job.clocks) {
    untied += clock.tied_by.empty();
    if (std::llabs(clock.offset_ns) < kNotableOffset || ++off > kMaxNamed) {
      continue;
    }
    texts.push_back(
        fmt::format("the clock of {} is {} {} the job's (± {}, by {})",
                    clock.clock, FormatDuration(std::llabs(clock.offset_ns)),
                    clock.offset_ns > 0 ? "ahead of" : "behind",
                    FormatDuration(clock.error_ns), clock.tied_by));
  }
  if (off > kMaxNamed) {
    texts.push_back(fmt::format("{} more clocks are off", off - kMaxNamed));
  }
  if (untied > 0) {
    texts.push_back(
        fmt::format("nothing ties {} of {} clocks to the others; "
                    "they are taken to be right within a minute",
                    untied, job.clocks.size()));
  }
  return texts;
}

// "node7, GPU 0000:1a:00 (rank 3)"
std::string UnitText(const findings::UnitAction& one) {
  std::string text = one.host;
  if (!one.pci.empty()) {
    text += fmt::format("{}GPU {}", text.empty() ? "" : ", ", one.pci);
  }
  if (text.empty()) return "all nodes";
  return one.rank ? text + fmt::format(" (rank {})", *one.rank) : text;
}

json RanksJson(const Ranks& ranks) {
  return {{"count", ranks.size()},
          {"ranges", FormatRanges({ranks.begin(), ranks.end()}, SIZE_MAX)}};
}

}  // namespace

std::string JobText(const Diagnosis& diagnosis, const Painter& paint) {
  if (!diagnosis.job) return {};
  const Job& job = *diagnosis.job;
  std::vector<std::string> lines = {SizeText(job)};
  for (size_t i = 0; i < std::min(kMaxNamed, job.waits.size()); ++i) {
    lines.push_back(WaitText(job.waits[i]));
  }
  if (!job.lost_peer.empty()) {
    lines.push_back(RanksText(job.lost_peer) +
                    " lost the connection to a peer");
  }
  for (size_t i = 0; i < std::min(kMaxNamed, job.suspects.size()); ++i) {
    lines.push_back("look at " + SuspectText(job.suspects[i]));
  }
  if (job.suspects.size() > kMaxNamed) {
    Ranks rest;
    for (size_t i = kMaxNamed; i < job.suspects.size(); ++i) {
      rest.push_back(job.suspects[i].rank);
    }
    std::ranges::sort(rest);
    lines.push_back("look at " + RanksText(rest) + ", too");
  }
  for (std::string& text : ClockTexts(job)) lines.push_back(std::move(text));
  if (job.order_unknown > 0) {
    lines.push_back(
        fmt::format("no clock and no common log orders it before {} of its "
                    "consequences: it "
                    "is the root by its kind",
                    job.order_unknown));
  }
  std::string text = paint.Bold("Job") + "\n";
  for (const std::string& line : lines) text += "  " + Safe(line) + "\n";
  return text;
}

std::string ActionsText(const Diagnosis& diagnosis, const Painter& paint) {
  std::string text;
  for (const findings::UnitAction& one : diagnosis.actions) {
    // Of a run on one node the advice above says all but which GPU.
    const bool several = diagnosis.job && diagnosis.job->hosts.size() > 1;
    if (!several && one.pci.empty()) continue;
    text += fmt::format("  {}: {} — {}\n", Safe(UnitText(one)),
                        findings::Word(one.action), Safe(one.why));
    for (const std::string& command : one.commands) {
      text += "     " + paint.Bold(command) + "\n";
    }
  }
  if (text.empty()) return {};
  return paint.Bold("What to do with each node and GPU") + "\n" + text;
}

json JobJson(const Diagnosis& diagnosis) {
  if (!diagnosis.job) return nullptr;
  const Job& job = *diagnosis.job;
  json result = {{"world", job.world > 0 ? json(job.world) : json(nullptr)},
                 {"ranks", RanksJson(job.ranks)},
                 {"missing", RanksJson(job.missing)},
                 {"cut", RanksJson(job.cut)},
                 {"lost_peer", RanksJson(job.lost_peer)},
                 {"hosts", job.hosts},
                 {"waits", json::array()},
                 {"suspects", json::array()},
                 {"clocks", json::array()},
                 {"order_unknown", job.order_unknown}};
  for (const findings::Wait& wait : job.waits) {
    result["waits"].push_back({{"optype", wait.optype},
                               {"seqnum", OrNull(wait.seqnum)},
                               {"ranks", RanksJson(wait.ranks)}});
  }
  for (const findings::Suspect& one : job.suspects) {
    result["suspects"].push_back(
        {{"rank", one.rank},
         {"host", one.host.empty() ? json(nullptr) : json(one.host)},
         {"why", one.why}});
  }
  for (const findings::JobClock& clock : job.clocks) {
    result["clocks"].push_back(
        {{"clock", clock.clock},
         {"offset_ns", clock.offset_ns},
         {"error_ns", clock.error_ns},
         {"tied_by",
          clock.tied_by.empty() ? json(nullptr) : json(clock.tied_by)}});
  }
  return result;
}

json ActionsJson(const Diagnosis& diagnosis) {
  json all = json::array();
  for (const findings::UnitAction& one : diagnosis.actions) {
    all.push_back({{"host", one.host.empty() ? json(nullptr) : json(one.host)},
                   {"pci", one.pci.empty() ? json(nullptr) : json(one.pci)},
                   {"rank", OrNull(one.rank)},
                   {"action", findings::Word(one.action)},
                   {"why", one.why},
                   {"commands", one.commands}});
  }
  return all;
}

}  // namespace inquest::report
