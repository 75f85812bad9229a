// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/rank/doubts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <span>

#include "analyzer/findings/rank/relation_match.h"
#include "analyzer/findings/rank/root_order.h"
#include "base/glob.h"

namespace inquest::findings {
namespace {

// Causes about which an allocation trace, or the kernel's log, has details.
constexpr std::string_view kCausesInTraces[] = {
    "memory/capacity",      "memory/fragmentation", "memory/leak",
    "memory/pool-headroom", "memory/earlier-run",   "unknown"};
constexpr std::string_view kCausesInKernelLogs[] = {
    "hardware/*",
    "host/*",
    "kernel/illegal-access",
    "kernel/launch-failure",
    "kernel/launch-timeout",
    "cudnn/execution-failed",
    "memory/host",
    "device/unavailable",
    "process/killed",
    "process/segfault",
    "distributed/collective-timeout",
    "unknown"};
// Whose message names the reason: what led to it is no open question.
constexpr std::string_view kSayTheReason[] = {"process/exception",
                                              "process/preempted",
                                              "process/fork-after-init",
                                              "memory/*",
                                              "device/*",
                                              "cudnn/not-supported",
                                              "version/*",
                                              "build/*",
                                              "storage/*",
                                              "data/*",
                                              "access/*",
                                              "host/*"};
// Refusals that the program itself was told, what it did not catch, and what
// its user or another process asked of it: the kernel's log has nothing of
// them.
constexpr std::string_view kToldOutright[] = {
    "host.alloc.*",
    "host.shm.*",
    "host.pinned",
    "host.limits.*",
    "host.loader.stopped",
    "memory.log.absurd-host",
    "endings.interrupt*",
    "endings.terminate*",
    "endings.signal-words",
    "endings.signal.asked*",
    "endings.kubernetes.unfit",
    "endings.kubernetes.unschedulable",
    "trace.ending.child-killed",
    "trace.ending.failed",
    "trace.ending.terminated",
    "trace.ending.timeout",
    "trace.limit.signal"};

bool IsOneOf(std::span<const std::string_view> patterns,
             const std::string& cause) {
  return std::any_of(
      patterns.begin(), patterns.end(),
      [&](std::string_view one) { return MatchesGlob(one, cause); });
}

// Read off one row of a trace: no order can decide.
bool AreOneMoment(const Finding& a, const Finding& b) {
  return std::ranges::any_of(a.evidence, [&](const Evidence& one) {
    return one.line == 0 && std::ranges::any_of(b.evidence, [&](const auto& x) {
             return x.line == 0 && x.table == one.table && x.row == one.row &&
                    x.process == one.process;
           });
  });
}

// Why it is uncertain which of the two began first, and what would decide.
std::string Decider(const Finding& a, const Finding& b) {
  const auto log = [](const Finding& finding) {
    for (const Evidence& one : finding.evidence) {
      if (one.line > 0) return one.path;
    }
    return std::string("the trace");
  };
  if (AreOneMoment(a, b)) {
    return "both are read off the same moment of the recording: either was "
           "enough, and the one with more bytes is worth mending first";
  }
  if (!a.lines.empty() && !b.lines.empty() &&
      a.lines.begin()->first == b.lines.begin()->first) {
    return "both are in the same line; an allocation trace that shows the "
           "moment would decide";
  }
  if (!a.first_time || !b.first_time) {
    return fmt::format(
        "the order would decide: {} and {} have no common clock, so log with "
        "time stamps",
        log(a), log(b));
  }
  return fmt::format(
      "the order would decide: the clocks of {} and {} are too coarse, so log "
      "with time stamps of milliseconds",
      log(a), log(b));
}

std::set<int64_t> RanksNamed(const Figures& figures) {
  std::set<int64_t> ranks;
  for (const char* name : {"ranks", "src_rank"}) {
    for (const Figure& one : figures[name].AsList()) {
      if (one.IsInteger()) ranks.insert(one.Integer());
    }
  }
  return ranks;
}

Status RemoveRanksWithLogs(facts::Store* store, std::set<int64_t>* ranks) {
  ASSIGN_OR_RETURN(Statement row,
                   store->db().Prepare("SELECT DISTINCT rank FROM log_event "
                                       "WHERE rank IS NOT NULL"));
  for (int64_t rank = 0; row.Next(&rank);) ranks->erase(rank);
  return row.status();
}

// Whether a cause, not only a rule, is known to lead to such an ending.
bool HasCause(const Finding& ending,
              const std::vector<rules::Relation>& relations) {
  const auto names = [&](const std::string& to) { return Names(to, ending); };
  const auto is_cause = [](const std::string& from) {
    return !from.starts_with(rules::kIdMark);
  };
  return std::any_of(
      relations.begin(), relations.end(), [&](const rules::Relation& one) {
        return one.kind == rules::Relation::Kind::kExplains &&
               std::any_of(one.to.begin(), one.to.end(), names) &&
               std::any_of(one.from.begin(), one.from.end(), is_cause);
      });
}

// Whether the run was on Windows, DirectML, macOS or a TPU, which cannot be
// recorded and have no kernel log of this kind.
bool IsElsewhere(facts::Store* store) {
  auto found = store->db().QueryInt(
      "SELECT EXISTS (SELECT 1 FROM log_event WHERE signature IN "
      "('platform.windows', 'platform.macos') OR signature GLOB "
      "'directml.*') OR "
      // Of a job of thousands of hosts one tells it of all.
      "EXISTS (SELECT 1 FROM (SELECT text FROM store_log_event LIMIT 5000) "
      "WHERE text GLOB '*[A-Z]:\\*.py*' OR text GLOB '*XLA:TPU*' OR text "
      "GLOB '*TPU v[2-9]*' OR text GLOB '*x[0-9]_HBM[0-9])*')");
  return found.ok() && *found != 0;
}

// Whether the recorder has anything to record there: other vendors' libraries
// are not followed, and of a job that nothing shows to use a GPU nobody knows.
bool IsRecordable(facts::Store* store, const std::string& cause) {
  auto other = store->db().QueryInt(
      "SELECT EXISTS (SELECT 1 FROM store_log_event WHERE signature GLOB "
      "'vendor.*' AND signature <> 'vendor.nvidia') AND NOT EXISTS (SELECT 1 "
      "FROM store_log_event WHERE signature = 'vendor.nvidia')");
  if (other.ok() && *other != 0) return false;
  if (cause != "unknown") return true;
  constexpr std::string_view kSigns[] = {"cuda", "cudnn", "nvidia",     "nccl",
                                         "gpu",  "torch", "tensorflow", "jax"};
  auto shown = store->db().QueryInt(fmt::format(
      "WITH said AS (SELECT text FROM store_log_event UNION ALL SELECT text "
      "FROM store_log_line UNION ALL SELECT file FROM store_log_frame) "
      "SELECT EXISTS (SELECT 1 FROM said WHERE text LIKE '%{}%')",
      fmt::join(kSigns, "%' OR text LIKE '%")));
  return !shown.ok() || *shown != 0;
}

// A run that was recorded needs no advice to record it. Empty: there is nothing
// to say.
std::string WhyNoTrace(facts::Store* store, const std::string& cause) {
  auto row = store->db().Prepare("SELECT collector FROM run");
  std::optional<bool> collector;
  if (row.ok() && row->Next(&collector) && collector) {
    return *collector ? "no process of the run loaded CUDA or a framework"
                      : "the run was recorded without the collector";
  }
  if (!IsRecordable(store, cause)) return {};
  return "record the next run with `inquest record`";
}

// Where no run failed, what the runs went on after is told already.
void AddEarlierRuns(facts::Store* store, std::vector<std::string>* missing) {
  auto row = store->db().Prepare(
      "SELECT s.path, r.line FROM store_log_last_run AS r JOIN "
      "store_log_source AS s USING (source) ORDER BY source LIMIT 4");
  std::string path;
  for (int64_t line = 0; row.ok() && row->Next(&path, &line);) {
    missing->push_back(fmt::format(
        "the errors of earlier runs in {}: the last one begins at line {}",
        path, line));
  }
}

}  // namespace

std::vector<std::string> MissingEvidence(facts::Store* store,
                                         const std::string& cause,
                                         const std::string& by, bool failed) {
  std::vector<std::string> missing;
  failed = failed && !IsElsewhere(store);
  const bool outright = IsOneOf(kToldOutright, by);
  if (failed && store->traces() == 0 && IsOneOf(kCausesInTraces, cause) &&
      !(cause == "unknown" && outright)) {
    const std::string why = WhyNoTrace(store, cause);
    if (!why.empty()) missing.push_back("no allocation trace: " + why);
  }
  // Other tools record only what their options ask for.
  auto unrecorded = store->db().Prepare(
      "SELECT DISTINCT note FROM coverage WHERE state = 'off' AND source IN "
      "('nsys-memory', 'kineto') AND coalesce(to_time > from_time, 1)");
  for (std::string note; unrecorded.ok() && unrecorded->Next(&note);) {
    missing.push_back(note);
  }
  if (failed) AddEarlierRuns(store, &missing);
  auto kernel = store->db().QueryInt(
      "SELECT (SELECT count(*) FROM log_source WHERE kind = 'kernel') + "
      "(SELECT count(*) FROM xid) + (SELECT count(*) FROM kernel_event) + "
      "(SELECT count(*) FROM log_event WHERE signature GLOB 'kernel.*')");
  if (failed && kernel.ok() && *kernel == 0 &&
      IsOneOf(kCausesInKernelLogs, cause) && !outright) {
    missing.push_back(
        "no kernel log: add that of its node, `--log <(dmesg -T)`");
  }
  auto console = store->db().QueryInt("SELECT count(*) FROM log_source");
  if (console.ok() && *console == 0) {
    missing.push_back("no log of the program: add `--log FILE`");
  }
  return missing;
}

std::vector<Tie> FindTies(const std::vector<Finding>& findings,
                          const std::vector<size_t>& roots) {
  std::vector<Tie> ties;
  for (size_t n = 1; n < roots.size(); ++n) {
    const Finding& first = findings[roots[0]];
    const Finding& other = findings[roots[n]];
    if (WhyFirst(first, other).ground != Ground::kName) continue;
    ties.push_back({roots[n], Decider(first, other)});
  }
  return ties;
}

std::vector<std::string> MissingCause(
    facts::Store* store, const Finding& ending,
    const std::vector<rules::Relation>& relations) {
  std::vector<std::string> missing;
  if (!IsOneOf(kSayTheReason, ending.cause) &&
      !IsOneOf(kToldOutright, ending.rule) && HasCause(ending, relations)) {
    missing.push_back("no rule knows what led to it");
  }
  std::set<int64_t> ranks = RanksNamed(ending.figures);
  if (RemoveRanksWithLogs(store, &ranks).ok() && !ranks.empty()) {
    missing.push_back(fmt::format("no log of rank {}: add it with `--log FILE`",
                                  fmt::join(ranks, ", ")));
  }
  return missing;
}

}  // namespace inquest::findings
