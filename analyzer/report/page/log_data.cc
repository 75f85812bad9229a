// SPDX-License-Identifier: Apache-2.0
// Excerpts of the logs: their last lines, what signatures recognised, and every
// line that is evidence of a finding. The page marks which finding a line
// belongs to.
#include <map>
#include <string>

#include "analyzer/report/page/page_data.h"
#include "base/units.h"

namespace inquest::report {
namespace {

using nlohmann::json;

constexpr size_t kLogsQuoted = 24;
constexpr size_t kEvidenceLines = 120;  // of a log
constexpr int kLinesRecognised = 40;    // lines besides, of a log
constexpr size_t kLineBytes = 600;

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
  const findings::Diagnosis& diagnosis = *source.input->diagnosis;
  ASSIGN_OR_RETURN(Statement row,
                   source.store->db().Prepare(
                       "SELECT source, path, lines, bytes FROM log_source "
                       "WHERE lines > 0 ORDER BY source"));
  json logs = json::array();
  int64_t number = 0, count = 0, bytes = 0;
  std::string path;
  size_t more = 0;
  while (row.Next(&number, &path, &count, &bytes)) {
    if (logs.size() == kLogsQuoted) {
      ++more;
      continue;
    }
    QuotedLines lines;
    AddEvidenceLines(diagnosis, number, &lines);
    RETURN_IF_ERROR(AddOtherLines(source, number, &lines));
    logs.push_back({{"source", number},
                    {"path", path},
                    {"count", count},
                    {"bytes", bytes},
                    {"lines", LinesData(lines)}});
  }
  RETURN_IF_ERROR(row.status());
  if (logs.empty()) return json::object();
  return json{{"logs", logs}, {"more", more}};
}

}  // namespace inquest::report
