// SPDX-License-Identifier: Apache-2.0
#include "analyzer/logs/reader/log_folds.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "base/text.h"

namespace inquest::ingest {
namespace {

constexpr size_t kMaxLines = 400;
constexpr size_t kNarrowest = 50;
constexpr size_t kWidest = 500;
constexpr size_t kBeginning = 24;
constexpr size_t kSameBeginning = 3;  // bytes that identify lines of one form

std::vector<std::string_view> LinesOf(std::string_view head) {
  std::vector<std::string_view> lines;
  while (!head.empty() && lines.size() < kMaxLines) {
    const size_t end = std::min(head.find('\n'), head.size());
    std::string_view line = head.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    // Copied from a screen, each line is padded to the screen's width.
    line.remove_suffix(line.size() - (line.find_last_not_of(' ') + 1));
    lines.push_back(line);
    head.remove_prefix(std::min(end + 1, head.size()));
  }
  return lines;
}

// Lines of one form have most of their beginning in common, place by place.
bool IsSameForm(std::string_view line, std::string_view rest) {
  if (rest.substr(0, kSameBeginning) == line.substr(0, kSameBeginning)) {
    return true;
  }
  const size_t most = std::min({line.size(), rest.size(), kBeginning});
  size_t same = 0;
  for (size_t i = 0; i < most; ++i) same += line[i] == rest[i];
  return same * 2 > most && most > kSameBeginning;
}

// "WARNING (file.cc:7)": a logger's level begins a record, as Slurm's own
// programs begin theirs by their names.
bool BeginsRecord(std::string_view text) {
  constexpr std::string_view kPrograms[] = {"srun: ", "slurmstepd: "};
  if (StartsWithAny(text, kPrograms)) return true;
  constexpr std::string_view kLevels[] = {
      "CRITICAL", "DEBUG", "ERROR", "FATAL", "INFO",
      "LOG",      "TRACE", "VLOG",  "WARN",  "WARNING"};
  const size_t end = static_cast<size_t>(
      std::ranges::find_if_not(text, IsUpper) - text.begin());
  return std::ranges::find(kLevels, text.substr(0, end)) != std::end(kLevels) &&
         end < text.size() && !IsWordCharacter(text[end]);
}

}  // namespace

bool IsUnderline(std::string_view line) {
  if (line.starts_with('[')) {  // a rank's prefix
    line.remove_prefix(std::min(line.find("]:") + 2, line.size()));
  }
  return line.find('^') != line.npos &&
         line.find_first_not_of(" ^~") == line.npos;
}

bool Continues(std::string_view line, std::string_view rest, bool sure) {
  if (line.empty() || rest.empty() || IsSameForm(line, rest) ||
      BeginsRecord(rest)) {
    return false;
  }
  if (IsWordCharacter(line.back()) && IsWordCharacter(rest.front())) {
    // A name in capitals goes on in capitals, and none ends like that.
    return sure || line.back() == '_' || !IsUpper(rest.front());
  }
  // Borders of tables, padding and indented lines are not folds.
  constexpr std::string_view kBorders = "|+-=*#>";
  return sure && kBorders.find(line.back()) == kBorders.npos &&
         !line.ends_with("  ") && !rest.starts_with("  ");
}

Folds FoldsOf(std::string_view head) {
  const auto lines = LinesOf(head);
  Folds folds;
  for (const auto& line : lines) {
    if (!IsUnderline(line)) folds.width = std::max(folds.width, line.size());
  }
  if (folds.width < kNarrowest || folds.width > kWidest) return {};
  size_t full = 0;
  size_t cut = 0;
  std::string_view first;
  bool differ = false;
  for (size_t i = 0; i + 1 < lines.size(); ++i) {
    if (lines[i].size() != folds.width) continue;
    if (++full == 1) first = lines[i];
    differ |= WithoutNumbers(lines[i]) != WithoutNumbers(first);
    cut += Continues(lines[i], lines[i + 1], false);
  }
  // A message that is printed again, of another number, has the same length
  // each time.
  if (full > 1 && !differ) return {};
  folds.sure = full > 1;
  return cut > 0 && cut * 2 >= full ? folds : Folds{};
}

}  // namespace inquest::ingest
