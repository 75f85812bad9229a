// SPDX-License-Identifier: Apache-2.0
// Which rank or node each log of a job is of; see job_folder.h.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analyzer/logs/reader/log_input.h"
#include "base/parallel.h"
#include "cli/job_folder.h"

namespace inquest::cli {
namespace {

using ingest::LogUnit;

constexpr size_t kHeadBytes = 128 << 10;

// The first lines, decompressed; empty if they cannot be read.
std::string HeadOf(const std::string& path) {
  constexpr int64_t kMax = int64_t{1} << 40;
  auto input = ingest::OpenLog(path, {kMax, kMax});
  if (!input.ok()) return {};
  std::string head(kHeadBytes, '\0');
  size_t got = 0;
  while (got < head.size()) {
    const size_t more =
        input->bytes->Read(head.data() + got, head.size() - got);
    if (more == 0) break;
    got += more;
  }
  head.resize(got);
  return head;
}

// The part of the path below the job's folder, which patterns are for.
std::string_view Below(const std::string& path, const Inputs& inputs) {
  std::string_view rest = path;
  for (const std::string& folder : inputs.job.folders) {
    if (!rest.starts_with(folder)) continue;
    rest.remove_prefix(folder.size());
    while (rest.starts_with('/')) rest.remove_prefix(1);
    return rest;
  }
  return rest;
}

// The logs of launchers' earlier attempts are not about how the job ended.
void KeepLastAttempt(Inputs* inputs) {
  int64_t last = 0;
  const auto note = [&](const LogUnit& unit) {
    last = std::max(last, unit.attempt.value_or(0));
  };
  for (const auto& [path, unit] : inputs->units) note(unit);
  for (const auto& text : inputs->texts) note(text.unit);
  if (last == 0) return;
  const auto is_earlier = [&](const std::string& path, const LogUnit& unit) {
    if (!unit.attempt || *unit.attempt == last) return false;
    inputs->job.left_out.push_back(
        {path, fmt::format("of attempt {}; the last one is {}", *unit.attempt,
                           last)});
    return true;
  };
  std::erase_if(inputs->logs, [&](const std::string& path) {
    const auto unit = inputs->units.find(path);
    return unit != inputs->units.end() && is_earlier(path, unit->second);
  });
  std::erase_if(inputs->texts, [&](const ingest::LogText& text) {
    return is_earlier(text.name, text.unit);
  });
}

// Ranks on a node are ranks of the job where the job has one node; on several
// nodes they are not known by that alone.
void ResolveLocalRanks(Inputs* inputs) {
  std::set<std::string> hosts;
  for (const auto& [path, unit] : inputs->units) {
    if (unit.local_rank) hosts.insert(unit.host);
  }
  if (hosts.size() > 1) return;
  const auto resolve = [](LogUnit* unit) {
    if (unit->rank || !unit->local_rank) return;
    unit->rank = unit->local_rank;
    unit->rank_by += ", its number on the only node";
  };
  for (auto& [path, unit] : inputs->units) resolve(&unit);
  for (auto& text : inputs->texts) resolve(&text.unit);
}

// An error file has no lines that name its rank, but the logs beside it do.
void NameErrorFiles(Inputs* inputs) {
  const auto folder = [](const std::string& path) {
    return path.substr(0, path.rfind('/') + 1);
  };
  for (ingest::LogText& text : inputs->texts) {
    if (text.unit.rank) continue;
    for (const auto& [path, unit] : inputs->units) {
      if (!unit.rank || folder(path) != folder(text.name)) continue;
      text.unit.rank = unit.rank;
      text.unit.rank_by = "the log beside it";
      if (text.unit.host.empty()) text.unit.host = unit.host;
    }
  }
}

// A bare number that two logs claim identifies neither.
void DropClashes(Inputs* inputs) {
  std::map<int64_t, std::set<std::string>> hosts;
  for (const auto& [path, unit] : inputs->units) {
    if (unit.rank && !unit.certain) hosts[*unit.rank].insert(unit.host);
  }
  for (auto& [path, unit] : inputs->units) {
    if (!unit.rank || unit.certain || hosts[*unit.rank].size() < 2) continue;
    if (!unit.local_rank) unit.local_rank = unit.rank;
    unit.rank.reset();
  }
}

std::string UnitLine(const std::string& path, const LogUnit& unit) {
  std::string text;
  const auto add = [&](const std::string& what, const std::string& by) {
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", what,
                        by.empty() ? "" : " (" + by + ")");
  };
  if (unit.rank) {
    add(fmt::format("rank {}", *unit.rank), unit.rank_by);
  } else if (unit.local_rank) {
    add(fmt::format("number {} on its node", *unit.local_rank), unit.rank_by);
  }
  if (!unit.host.empty()) add("node " + unit.host, unit.host_by);
  if (text.empty()) text = "of no one rank or node";
  return path + ": " + text;
}

}  // namespace

Status NameUnits(const std::string& pattern, Inputs* inputs) {
  std::optional<ingest::RankPattern> own;
  if (!pattern.empty()) {
    ASSIGN_OR_RETURN(own, ingest::RankPattern::Compile(pattern));
  }
  std::vector<std::pair<const std::string, LogUnit>*> logs;
  for (auto& log : inputs->units) logs.push_back(&log);
  InParallel(logs.size(), [&](size_t i) {
    auto& [path, unit] = *logs[i];
    unit = Combine(ingest::UnitOfText(HeadOf(path)), unit);
    if (own) own->Apply(Below(path, *inputs), &unit);
  });
  for (ingest::LogText& text : inputs->texts) {
    if (own) own->Apply(Below(text.name, *inputs), &text.unit);
  }
  DropClashes(inputs);
  ResolveLocalRanks(inputs);
  NameErrorFiles(inputs);
  KeepLastAttempt(inputs);
  return Status::Ok();
}

std::vector<std::string> UnitLines(const Inputs& inputs) {
  std::vector<std::string> lines;
  for (const auto& [path, unit] : inputs.units) {
    lines.push_back(UnitLine(path, unit));
  }
  for (const ingest::LogText& text : inputs.texts) {
    lines.push_back(UnitLine(text.name, text.unit));
  }
  return lines;
}

}  // namespace inquest::cli
