// SPDX-License-Identifier: Apache-2.0
#include "analyzer/fleet/results/sacct.h"

#include <re2/re2.h>

#include <charconv>
#include <map>
#include <string>

namespace inquest::fleet {
namespace {

std::vector<std::string_view> Split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

OptionalInt NumberIn(std::string_view text) {
  int64_t number = 0;
  const auto end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (text.empty() || parsed.ec != std::errc() || parsed.ptr != end) return {};
  return number;
}

// "billing=16,cpu=16,gres/gpu=8,gres/gpu:h100=8": the total, or, without one,
// the sum of the kinds.
OptionalInt GpusIn(std::string_view tres) {
  static const RE2 kKind(R"(gres/gpu:[^=]+=(\d+))");
  static const RE2 kTotal(R"((?:^|,)gres/gpu=(\d+))");
  int64_t number = 0;
  if (RE2::PartialMatch(tres, kTotal, &number)) return number;
  OptionalInt sum;
  re2::StringPiece rest(tres.data(), tres.size());
  while (RE2::FindAndConsume(&rest, kKind, &number)) {
    sum = sum.value_or(0) + number;
  }
  return sum;
}

struct SacctLine {
  std::map<std::string_view, size_t> columns;  // name -> place
  std::vector<std::string_view> fields;

  std::string_view operator[](std::string_view name) const {
    const auto found = columns.find(name);
    if (found == columns.end() || found->second >= fields.size()) return {};
    return fields[found->second];
  }
};

void AddRows(const SacctLine& line, std::vector<JobRow>* rows) {
  JobRow row;
  row.gpus = GpusIn(line["AllocTRES"]);
  row.elapsed_s = NumberIn(line["ElapsedRaw"]);
  if (!line["State"].empty()) row.state = std::string(line["State"]);
  if (!line["NodeList"].empty()) row.nodes = std::string(line["NodeList"]);
  for (const char* name : {"JobID", "JobIDRaw"}) {
    const std::string_view job = line[name];
    if (job.empty() || job.find_first_of(".+") != job.npos) continue;
    if (!rows->empty() && rows->back().job == job) continue;
    row.job = std::string(job);
    rows->push_back(row);
  }
}

}  // namespace

Expected<std::vector<JobRow>> ReadSacct(std::string_view text) {
  std::vector<std::string_view> lines = Split(text, '\n');
  SacctLine line;
  const auto names = Split(lines.front(), '|');
  for (size_t i = 0; i < names.size(); ++i) line.columns[names[i]] = i;
  if (!line.columns.contains("JobID") && !line.columns.contains("JobIDRaw")) {
    return Unreadable("its first line has no column JobID or JobIDRaw")
        .WithHint(
            "make it with: sacct --parsable2 --allocations "
            "--format=JobID,JobIDRaw,ElapsedRaw,AllocTRES,State,NodeList");
  }
  std::vector<JobRow> rows;
  for (size_t i = 1; i < lines.size(); ++i) {
    line.fields = Split(lines[i], '|');
    if (!lines[i].empty()) AddRows(line, &rows);
  }
  return rows;
}

}  // namespace inquest::fleet
