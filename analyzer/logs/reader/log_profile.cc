// SPDX-License-Identifier: Apache-2.0
// Which ambiguous prefixes a log uses; see log_prefix.h.

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "analyzer/logs/carriers/log_carriers.h"
#include "analyzer/logs/carriers/log_json.h"
#include "analyzer/logs/reader/log_text.h"

namespace inquest::ingest {
namespace {

constexpr size_t kMaxProfiledLines = 400;
constexpr size_t kMaxLength = 1000;
constexpr size_t kFewest = 3;  // the fewest lines that count as "most"

std::vector<std::string> CleanLines(std::string_view head) {
  std::vector<std::string> lines;
  while (!head.empty() && lines.size() < kMaxProfiledLines) {
    const size_t end = head.find_first_of("\r\n");
    std::string line;
    CleanText(head.substr(0, std::min(end, kMaxLength)), &line);
    if (line.find_first_not_of(" \t") != line.npos) {
      lines.push_back(std::move(line));
    }
    if (end == head.npos) break;
    head.remove_prefix(end + 1);
  }
  return lines;
}

using Take = bool (*)(Cursor, Carrier*);

// Whether most lines have the form. With `repeats` its words must recur: host
// names do, step numbers do not.
bool MostCarry(const std::vector<std::string_view>& lines, Take take,
               bool repeats) {
  size_t carry = 0;
  std::set<std::string_view> words;
  for (const std::string_view line : lines) {
    Carrier carrier;
    if (!take(Cursor(line), &carrier)) continue;
    ++carry;
    if (words.size() < 200) words.insert(Trim(line.substr(0, carrier.length)));
  }
  if (carry < kFewest || carry * 10 < lines.size() * 6) return false;
  return !repeats || words.size() * 3 <= carry;
}

bool MostCri(const std::vector<std::string>& lines) {
  size_t count = 0;
  for (const std::string& line : lines) {
    Carrier carrier;
    if (!TakeStamped(Cursor(line), &carrier)) continue;
    const std::string_view prefix =
        std::string_view(line).substr(0, carrier.length);
    count += prefix.find(" stdout ") != prefix.npos ||
             prefix.find(" stderr ") != prefix.npos;
  }
  return count > 0 && count * 10 >= lines.size() * 6;
}

bool MostJson(const std::vector<std::string>& lines) {
  const auto count = std::count_if(
      lines.begin(), lines.end(),
      [](const std::string& line) { return LooksLikeJsonLine(line); });
  return count > 0 && static_cast<size_t>(count) * 10 >= lines.size() * 6;
}

void FindLabels(const std::vector<std::string>& lines, PrefixProfile* profile) {
  std::vector<std::string_view> rests;
  for (const std::string& line : lines) {
    rests.push_back(StripPrefixes(line, *profile).text);
  }
  if (MostCarry(rests, TakeUniqCount, false)) {
    profile->uniq_count = true;
  } else if (MostCarry(rests, TakeQuote, false)) {
    profile->quote = true;
  } else if (MostCarry(rests, TakeSrunLabel, true)) {
    profile->srun_label = true;
  } else if (MostCarry(rests, TakeMpichRank, true)) {
    profile->mpich_rank = true;
  } else if (MostCarry(rests, TakeCompose, true)) {
    profile->compose = true;
  } else if (MostCarry(rests, TakeReplica, true)) {
    profile->replica = true;
  } else if (MostCarry(rests, TakePdshHost, true)) {
    profile->pdsh_host = true;
  }
}

bool MostKernel(const std::vector<std::string>& lines,
                const PrefixProfile& profile) {
  size_t stamped = 0;
  size_t kernel = 0;
  for (const std::string& line : lines) {
    const Prefixed prefixed = StripPrefixes(line, profile);
    stamped += prefixed.stamp.has_value() || prefixed.kernel;
    kernel += prefixed.kernel;
  }
  return kernel > 0 && kernel * 2 > stamped;
}

// NCCL's "rank 11 nranks 16", anywhere in the line.
std::optional<int64_t> CommunicatorRank(std::string_view line) {
  const size_t at = line.find(" nranks ");
  const size_t word = line.rfind(" rank ", at);
  if (at == line.npos || word == line.npos) return {};
  Cursor c(line.substr(word + 6, at - word - 6));
  const auto rank = c.Number(6);
  return c.done() ? rank : std::nullopt;
}

// Whether the ranks that lines state differ from the launcher's labels before
// them.
bool LabelsNodes(const std::vector<std::string>& lines) {
  return std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
    Carrier label;
    if (!TakeLauncher(Cursor(line), &label) || !label.local_rank) return false;
    const std::string_view rest = std::string_view(line).substr(label.length);
    Carrier inner;
    const bool prefixed =
        TakeLauncher(Cursor(rest), &inner) && inner.rank && !inner.local_rank;
    const auto rank = prefixed ? inner.rank : CommunicatorRank(rest);
    return rank && rank != label.rank;
  });
}

}  // namespace

// Two rounds, as labels nest: uniq -c over srun -l.
PrefixProfile ProfileOf(std::string_view head) {
  PrefixProfile profile;
  const std::vector<std::string> lines = CleanLines(head);
  if (lines.empty()) return profile;
  profile.cri = MostCri(lines);
  profile.json_lines = MostJson(lines);
  FindLabels(lines, &profile);
  FindLabels(lines, &profile);
  profile.node_labels = LabelsNodes(lines);
  profile.kernel = MostKernel(lines, profile);
  return profile;
}

}  // namespace inquest::ingest
