// SPDX-License-Identifier: Apache-2.0
// Excerpts of the logs: their last lines, what signatures recognised, and every
// line that is evidence of a finding. The page marks which finding a line
// belongs to.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "analyzer/report/page/page_data.h"
#include "base/units.h"

namespace inquest::report {
namespace {

using nlohmann::json;

constexpr size_t kLogsQuoted = 24;
constexpr size_t kEvidenceLines = 120;  // of a log
constexpr int kLinesRecognised = 40;    // lines besides, of a log
constexpr size_t kLineBytes = 600;

struct Log {
  int64_t source = 0, lines = 0, bytes = 0;
  std::string path;
};

// 0: evidence of the verdict is in it, 1: of another finding, 2: of none.
std::map<int64_t, int> PlacesOf(const findings::Diagnosis& diagnosis) {
  std::map<int64_t, int> places;
  for (size_t i = 0; i < diagnosis.findings.size(); ++i) {
    const int place = diagnosis.verdict.finding == i ? 0 : 1;
    for (const findings::Evidence& one : diagnosis.findings[i].evidence) {
      if (one.line == 0) continue;
      int& best = places.try_emplace(one.source, place).first->second;
      best = std::min(best, place);
    }
  }
  return places;
}

// Those of many that are quoted come first: what is evidence, then by rank.
Expected<std::vector<Log>> LogsInOrder(const PageSource& source) {
  ASSIGN_OR_RETURN(Statement row,
                   source.store->db().Prepare(
                       "SELECT source, path, lines, bytes FROM log_source "
                       "WHERE lines > 0 ORDER BY rank IS NULL, rank, source"));
  std::vector<Log> logs;
  for (Log log; row.Next(&log.source, &log.path, &log.lines, &log.bytes);) {
    logs.push_back(log);
  }
  RETURN_IF_ERROR(row.status());
  const std::map<int64_t, int> places = PlacesOf(*source.input->diagnosis);
  std::ranges::stable_sort(logs, {}, [&places](const Log& log) {
    const auto found = places.find(log.source);
    return found == places.end() ? 2 : found->second;
  });
  return logs;
}

struct QuotedLine {
  std::string text;
  json findings = json::array();  // whose evidence it is
};
using QuotedLines = std::map<int64_t, QuotedLine>;

void AddEvidenceLines(const findings::Diagnosis& diagnosis, int64_t source,
                      QuotedLines* lines) {
  for (const findings::Finding& finding : diagnosis.findings) {
    for (const findings::Evidence& one : finding.evidence) {
      if (one.line == 0 || one.source != source) continue;
      if (lines->size() >= kEvidenceLines && !lines->contains(one.line)) {
        continue;
      }
      QuotedLine& line = (*lines)[one.line];
      line.text = one.text;
      if (line.findings.empty() || line.findings.back() != finding.id) {
        line.findings.push_back(finding.id);
      }
    }
  }
}

// The last lines as they stand in the log, with their prefixes, and before them
// the last ones that a signature recognised as more than progress.
Status AddOtherLines(const PageSource& source, int64_t log,
                     QuotedLines* lines) {
  ASSIGN_OR_RETURN(
      Statement row,
      source.store->db().Prepare(
          "SELECT * FROM (SELECT line, text FROM log_event WHERE source = ?1 "
          "AND role NOT IN ('progress', 'benign') ORDER BY line DESC LIMIT " +
          std::to_string(kLinesRecognised) +
          ") UNION ALL SELECT line, text FROM log_line WHERE source = ?1"));
  row.BindAll(log);
  int64_t number = 0;
  std::string text;
  while (row.Next(&number, &text)) (*lines)[number].text = text;
  return row.status();
}

json LinesData(const QuotedLines& lines) {
  json all = json::array();
  for (const auto& [number, line] : lines) {
    std::string text = line.text;
    Shorten(&text, kLineBytes);
    json one = {number, text};
    if (!line.findings.empty()) one.push_back(line.findings);
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace

Expected<json> LogData(const PageSource& source) {
  ASSIGN_OR_RETURN(const std::vector<Log> all, LogsInOrder(source));
  if (all.empty()) return json::object();
  json logs = json::array();
  for (const Log& log : all) {
    if (logs.size() == kLogsQuoted) break;
    QuotedLines lines;
    AddEvidenceLines(*source.input->diagnosis, log.source, &lines);
    RETURN_IF_ERROR(AddOtherLines(source, log.source, &lines));
    logs.push_back({{"source", log.source},
                    {"path", log.path},
                    {"count", log.lines},
                    {"bytes", log.bytes},
                    {"lines", LinesData(lines)}});
  }
  return json{{"logs", logs}, {"more", all.size() - logs.size()}};
}

}  // namespace inquest::report
