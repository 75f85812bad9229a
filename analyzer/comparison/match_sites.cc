// SPDX-License-Identifier: Apache-2.0
#include "analyzer/comparison/match_sites.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>

#include "base/text.h"

namespace inquest::comparison {
namespace {

constexpr size_t kMaxDigits = 9;

// The end of a line number that begins here, as in ":57 in "; 0: there is none.
size_t EndOfLine(std::string_view chain, size_t at) {
  if (chain[at] != ':') return 0;
  size_t end = at + 1;
  while (end < chain.size() && IsDigit(chain[end])) ++end;
  const bool number = end > at + 1 && end - at <= kMaxDigits;
  return number && chain.substr(end).starts_with(" in ") ? end : 0;
}

// Its lines, to order sites of the same functions.
std::vector<int64_t> LinesOf(const std::string& chain) {
  std::vector<int64_t> lines;
  for (size_t at = 0; at < chain.size(); ++at) {
    const size_t end = EndOfLine(chain, at);
    if (end == 0) continue;
    lines.push_back(std::stoll(chain.substr(at + 1, end - at - 1)));
  }
  return lines;
}

struct Group {  // of the same functions
  std::vector<std::string> good, bad;
};

void SortByLines(std::vector<std::string>* chains) {
  std::sort(chains->begin(), chains->end(),
            [](const std::string& a, const std::string& b) {
              return LinesOf(a) < LinesOf(b);
            });
}

}  // namespace

std::string WithoutLines(const std::string& chain) {
  std::string bare;
  for (size_t at = 0; at < chain.size(); ++at) {
    const size_t end = EndOfLine(chain, at);
    if (end != 0) at = end;
    bare += chain[at];
  }
  return bare;
}

std::vector<std::pair<std::string, std::string>> MatchSites(
    const std::vector<std::string>& good, const std::vector<std::string>& bad) {
  std::map<std::string, Group> groups;
  for (const std::string& one : good)
    groups[WithoutLines(one)].good.push_back(one);
  for (const std::string& one : bad)
    groups[WithoutLines(one)].bad.push_back(one);
  std::vector<std::pair<std::string, std::string>> pairs;
  for (auto& [functions, group] : groups) {
    // As many before as after: all may have moved, even onto another's line.
    if (group.good.size() != group.bad.size()) {
      const std::set<std::string> there(group.bad.begin(), group.bad.end());
      const auto stays = [&](const std::string& one) {
        return there.contains(one);
      };
      for (const std::string& one : group.good) {
        if (stays(one)) pairs.emplace_back(one, one);
      }
      const std::set<std::string> here(group.good.begin(), group.good.end());
      std::erase_if(group.good, stays);
      std::erase_if(group.bad,
                    [&](const std::string& one) { return here.contains(one); });
    }
    SortByLines(&group.good);
    SortByLines(&group.bad);
    const size_t both = std::min(group.good.size(), group.bad.size());
    for (size_t i = 0; i < both; ++i) {
      pairs.emplace_back(group.good[i], group.bad[i]);
    }
  }
  return pairs;
}

}  // namespace inquest::comparison
