// SPDX-License-Identifier: Apache-2.0
// Ranks and nodes in the names of files; see log_unit.h. The conventions:
// torchrun's log folder (attempt_N/LOCAL_RANK/stderr.log), Slurm's %t and %N,
// Open MPI's --output-filename (1/rank.3/stdout), the flight recorder's and
// most people's own (rank3.log), kernel logs (dmesg-node7.txt), Kubernetes'
// pods.
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <vector>

#include "analyzer/logs/units/log_unit.h"
#include "base/text.h"

namespace inquest::ingest {
namespace {

std::optional<int64_t> Number(std::string_view digits) {
  int64_t value = 0;
  if (digits.empty() || digits.size() > 7) return {};
  for (const char c : digits) value = value * 10 + (c - '0');
  return value;
}

std::string_view Base(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == path.npos ? path : path.substr(slash + 1);
}

// Where in the path, for the ground: its file or a folder of it.
std::string Ground(std::string_view path, std::string_view found) {
  const auto at = static_cast<size_t>(found.data() - path.data());
  const size_t begin = path.rfind('/', at) + 1;  // npos + 1 is 0
  const size_t end = path.find('/', at);
  if (end == path.npos) return "its name";
  return "its folder " + std::string(path.substr(begin, end - begin));
}

bool Finds(std::string_view path, const RE2& pattern, std::string_view* found) {
  re2::StringPiece piece;
  if (!RE2::PartialMatch({path.data(), path.size()}, pattern, &piece)) {
    return false;
  }
  *found = {piece.data(), piece.size()};
  return true;
}

// torchrun numbers the folders by the rank on the node.
bool TakeElastic(std::string_view path, LogUnit* unit) {
  static const RE2 kPattern(
      R"((?:^|/)attempt_(\d+)/(\d+)/(?:std(?:out|err)\.log|error\.json)$)");
  re2::StringPiece attempt, local;
  if (!RE2::PartialMatch({path.data(), path.size()}, kPattern, &attempt,
                         &local)) {
    return false;
  }
  unit->attempt = Number({attempt.data(), attempt.size()});
  unit->local_rank = Number({local.data(), local.size()});
  unit->rank_by = "torchrun's folder";
  return true;
}

void TakeRank(std::string_view path, LogUnit* unit) {
  static const RE2 kLocal(R"((?i)local[-_.]?rank[-_.=]?(\d+)(?:\D|$))");
  static const RE2 kNamed(
      R"((?i)(?:^|[^a-z])(?:global[-_.]?|mpi)?rank[-_.=]?(\d+)(?:[^\d]|$))");
  // Numbers that most often are ranks: Slurm's slurm-123_4.out (which may be
  // the fourth job of an array) and task4, log.4, 4.log, 4/stderr.
  static const std::array<RE2, 4> kBare = {
      RE2(R"((?i)(?:^|/)slurm-\d+_(\d+)\.(?:out|err|log)(?:\.gz|\.zst)?$)"),
      RE2(R"((?i)(?:^|[-_./])(?:task|proc|process|trainer)[-_.]?(\d+)[^/]*$)"),
      RE2(R"((?i)(?:^|/)(?:log|out|err|stdout|stderr|output)[._-](\d+)$)"),
      RE2(R"((?i)(?:^|/)(\d{1,5})(?:/std(?:out|err))?\.?(?:log|out|err|txt)?$)")};
  std::string_view found;
  if (Finds(path, kLocal, &found)) {
    unit->local_rank = Number(found);
    unit->rank_by = Ground(path, found);
    return;
  }
  unit->certain = Finds(path, kNamed, &found);
  for (size_t i = 0; !unit->certain && i < kBare.size() && found.empty(); ++i) {
    Finds(path, kBare[i], &found);
  }
  if (found.empty()) return;
  unit->rank = Number(found);
  unit->rank_by = Ground(path, found);
}

void TakeAttempt(std::string_view path, LogUnit* unit) {
  static const RE2 kPattern(
      R"((?i)(?:^|[-_./])(?:attempt|restart)[-_.]?(\d+)(?:\D|$))");
  std::string_view found;
  if (Finds(path, kPattern, &found)) unit->attempt = Number(found);
}

// Words that follow "dmesg" in names of files and are not nodes.
bool IsFileWord(std::string_view word) {
  constexpr std::array<std::string_view, 14> kWords = {
      "txt",  "log", "out", "err",  "gz",   "zst",    "json",
      "boot", "raw", "all", "full", "wall", "decode", "human"};
  return std::ranges::find(kWords, word) != kWords.end();
}

void TakeHost(std::string_view path, LogUnit* unit) {
  static const std::array<RE2, 4> kPatterns = {
      RE2(R"((?i)(?:^|/)(?:dmesg|kern(?:el)?|syslog|messages|journal(?:ctl)?|kmsg)[-_.]([a-z][a-z0-9-]*)(?:[_.]\w+)*$)"),
      RE2(R"((?i)(?:^|/)([a-z][\w-]*?\d)[-_.](?:dmesg|kern(?:el)?|syslog|messages|journal(?:ctl)?|kmsg)(?:\.\w+)*$)"),
      RE2(R"((?i)(?:^|[-_./])((?:node|nid|host|gpu-|gpu\d|hgx|dgx|compute|cn|ip-|server)[a-z]*-?\d[0-9a-z-]*)(?:[_./]|$))"),
      RE2(R"((?i)(?:^|[_./])([a-z0-9-]+-(?:worker|master|launcher|head)-\d+)(?:[_./]|$))")};
  std::string_view found;
  for (const RE2& pattern : kPatterns) {
    if (!Finds(path, pattern, &found) || IsFileWord(found)) continue;
    unit->host = found;
    unit->host_by = Ground(path, found);
    return;
  }
}

}  // namespace

LogUnit UnitOfPath(std::string_view path) {
  LogUnit unit;
  TakeHost(path, &unit);
  if (TakeElastic(path, &unit)) return unit;
  TakeAttempt(path, &unit);
  // A kernel's log is of a node, whatever number its name has.
  static const RE2 kKernel(
      R"((?i)(?:^|[-_./])(?:dmesg|kern|kernel|syslog|messages|kmsg)(?:[-_.]|$))");
  const std::string_view base = Base(path);
  if (RE2::PartialMatch({base.data(), base.size()}, kKernel)) return unit;
  TakeRank(path, &unit);
  return unit;
}

Expected<RankPattern> RankPattern::Compile(const std::string& pattern) {
  RankPattern result;
  RE2::Options options(RE2::Quiet);
  options.set_max_mem(1 << 20);
  auto expression = std::make_shared<RE2>(pattern, options);
  if (!expression->ok()) {
    return Usage("--rank-pattern '" + pattern +
                 "' is not a regular expression: " + expression->error());
  }
  for (const auto& [name, group] : expression->NamedCapturingGroups()) {
    int* known = name == "rank"      ? &result.rank_
                 : name == "node"    ? &result.node_
                 : name == "attempt" ? &result.attempt_
                                     : nullptr;
    if (known == nullptr) {
      return Usage("--rank-pattern names the unknown group '" + name + "'")
          .WithHint(
              "the groups are rank, node and attempt: "
              "'(?P<node>[^/]+)/worker(?P<rank>\\d+)\\.log'");
    }
    *known = group;
  }
  if (result.rank_ < 0 && result.node_ < 0 && result.attempt_ < 0) {
    return Usage("--rank-pattern has none of the groups rank, node, attempt")
        .WithHint("write the part that is the rank as (?P<rank>\\d+)");
  }
  result.expression_ = std::move(expression);
  return result;
}

void RankPattern::Apply(std::string_view path, LogUnit* unit) const {
  std::vector<re2::StringPiece> groups(
      static_cast<size_t>(expression_->NumberOfCapturingGroups()) + 1);
  if (!expression_->Match({path.data(), path.size()}, 0, path.size(),
                          RE2::UNANCHORED, groups.data(),
                          static_cast<int>(groups.size()))) {
    return;
  }
  const auto text = [&](int group) -> std::string_view {
    if (group < 0) return {};
    const re2::StringPiece& piece = groups[static_cast<size_t>(group)];
    return {piece.data(), piece.size()};
  };
  const auto number = [](std::string_view digits) {
    const bool all = std::all_of(digits.begin(), digits.end(), IsDigit);
    return all ? Number(digits) : std::nullopt;
  };
  if (const auto rank = number(text(rank_))) {
    unit->rank = rank;
    unit->rank_by = "--rank-pattern";
    unit->certain = true;
  }
  if (const auto attempt = number(text(attempt_))) unit->attempt = attempt;
  if (const std::string_view node = text(node_); !node.empty()) {
    unit->host = node;
    unit->host_by = "--rank-pattern";
  }
}

}  // namespace inquest::ingest
