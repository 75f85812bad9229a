// SPDX-License-Identifier: Apache-2.0
// Ranks and nodes in the first lines of a log; see log_unit.h: the prefixes of
// launchers, NCCL's header and its line about the communicator, what programs
// print of their environment.
#include <re2/re2.h>

#include <algorithm>
#include <map>
#include <set>

#include "analyzer/logs/carriers/log_prefix.h"
#include "analyzer/logs/units/log_unit.h"

namespace inquest::ingest {
namespace {

constexpr size_t kMaxLine = 400;

// What the lines say, each value with how many say it.
class Sayings {
 public:
  explicit Sayings(std::string_view head) : profile_(ProfileOf(head)) {}

  void Read(std::string_view line) {
    const Prefixed prefixed = StripPrefixes(line, profile_);
    if (prefixed.rank && prefixed.global_rank) ++ranks_[*prefixed.rank];
    if (prefixed.rank && !prefixed.global_rank) ++logged_[*prefixed.rank];
    if (prefixed.host) hosts_.insert(std::string(*prefixed.host));
    ReadCommunicator(prefixed.text);
    ReadEnvironment(prefixed.text);
  }

  LogUnit Unit() const {
    LogUnit unit;
    if (largest_ > 0) unit.world = largest_;
    if (hosts_.size() == 1 && ranks_.size() < 2) {
      unit.host = *hosts_.begin();
      unit.host_by = "its lines";
    }
    // Loggers number the ranks of a group, too, so they count only alone.
    const auto& ranks = ranks_.empty() ? logged_ : ranks_;
    if (ranks.size() != 1) return unit;
    unit.rank = ranks.begin()->first;
    unit.rank_by = "its lines";
    unit.certain = !ranks_.empty();
    return unit;
  }

 private:
  // "node7:4711:4799 [3] NCCL INFO ncclCommInitRank comm 0x1 rank 3 nranks 8
  // …": the largest communicator of the log is the job's.
  void ReadCommunicator(std::string_view line) {
    static const RE2 kPattern(
        R"(\bcomm 0x[0-9a-f]+ rank (\d+) n[Rr]anks (\d+))");
    int64_t rank = 0, ranks = 0;
    if (line.find("ranks") == line.npos ||
        !RE2::PartialMatch({line.data(), line.size()}, kPattern, &rank,
                           &ranks) ||
        ranks < largest_) {
      return;
    }
    if (ranks > largest_) communicator_.clear();
    largest_ = ranks;
    communicator_.insert(rank);
    ranks_.clear();
    for (const int64_t one : communicator_) ranks_[one] = 1;
  }

  void ReadEnvironment(std::string_view line) {
    static const RE2 kRank(
        R"((?:\bRANK['"]?[=:] ?['"]?|\bSLURM_PROCID=|\bOMPI_COMM_WORLD_RANK=|\bglobal_rank[=:] ?|distributed init \(rank )(\d{1,6})\b)");
    int64_t value = 0;
    const re2::StringPiece text(line.data(), line.size());
    if (line.find('=') == line.npos && line.find(':') == line.npos &&
        line.find("rank ") == line.npos) {
      return;
    }
    if (RE2::PartialMatch(text, kRank, &value)) ++ranks_[value];
  }

  PrefixProfile profile_;
  std::map<int64_t, int> ranks_;
  std::map<int64_t, int> logged_;
  std::set<std::string> hosts_;
  std::set<int64_t> communicator_;
  int64_t largest_ = 0;
};

}  // namespace

LogUnit UnitOfText(std::string_view head) {
  Sayings sayings(head);
  for (std::string_view rest = head; !rest.empty();) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    sayings.Read(rest.substr(0, std::min(end, kMaxLine)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  LogUnit unit = sayings.Unit();
  unit.world = std::max(unit.world, WorldOfText(head));
  return unit;
}

// Where a program prints its environment or its arguments.
std::optional<int64_t> WorldOfText(std::string_view head) {
  static const RE2 kWorld(
      R"((?:\bWORLD_SIZE['"]?[=:] ?['"]?|\bSLURM_NTASKS=|\b(?:dist_)?world_size(?:[=:] ?| \.{3,} )|\bworld size(?: is|[=:]) ?)(\d{1,6})\b)");
  int64_t most = 0;
  re2::StringPiece rest(head.data(), head.size());
  for (int64_t world = 0; RE2::FindAndConsume(&rest, kWorld, &world);) {
    most = std::max(most, world);
  }
  return most > 0 ? std::optional(most) : std::nullopt;
}

LogUnit Combine(const LogUnit& said, const LogUnit& named) {
  LogUnit unit = named;
  if (said.world) unit.world = said.world;
  if (!said.host.empty()) {
    unit.host = said.host;
    unit.host_by = said.host_by;
  }
  // A logger's "[Rank 3]" may be of a group: a name with "rank" is better.
  if (said.rank && (said.certain || !named.certain)) {
    unit.rank = said.rank;
    unit.rank_by = said.rank_by;
    unit.certain = said.certain;
  }
  return unit;
}

}  // namespace inquest::ingest
