// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/rank/open_question.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/rows.h"
#include "base/text.h"
#include "base/units.h"

namespace inquest::findings {
namespace {

// A line of a log, and how strongly its words suggest an error.
struct LineRow {
  Evidence line;
  int64_t weight = 0;
  template <class V>
  void Columns(V& v) {
    v("source", line.source);
    v("path", line.path);
    v("line", line.line);
    v("offset", line.offset);
    v("text", line.text);
    v("weight", weight);
  }
};

// Steps that follow a line show that it ended nothing: several, for other
// threads may do them; of a mere "failed" or "unable to" the first one.
constexpr int kWorkAfterSuspect = 10;
constexpr int kMildWeight = 2;

constexpr int64_t kInBlock = 12;  // lines from one error to the next

// A node's kernel log has errors of audio, wireless and desktops: only those of
// what a run stands on are of interest.
constexpr std::string_view kOfARun =
    "(e.text GLOB '*[Nn][Vv][Ii][Dd][Ii][Aa]*' OR e.text GLOB '*NVRM*' OR "
    "e.text GLOB '*amdgpu*' OR e.text GLOB '*kfd*' OR e.text GLOB '*i915*' OR "
    "e.text GLOB '*mlx[45]*' OR e.text GLOB '*hfi1*' OR e.text GLOB '*nvme*' "
    "OR e.text GLOB '*habanalabs*' OR e.text GLOB '*EDAC*' OR e.text GLOB "
    "'*[Mm]emory*' OR e.text GLOB '*I/O error*' OR e.text GLOB '*python*' OR "
    "e.text GLOB '*Hardware Error*' OR e.text GLOB '*pcieport*')";

// Whether a rule knows the line of this event. A milestone says how far a run
// came, and a mark of its world only whose line it is: nothing of a line that
// looks like an error.
std::string IsKnown(std::string_view event) {
  return fmt::format(
      "({0}.role NOT IN ('suspect', 'milestone') AND ({0}.role <> 'context' OR "
      "({0}.signature NOT LIKE 'settings.%' AND "
      "{0}.signature NOT LIKE 'vendor.%' AND "
      "{0}.signature NOT LIKE 'platform.%')))",
      event);
}

// Whether a rule says what a line that looks like an error is. A figure or a
// name that another rule takes from it says nothing of that.
std::string IsJudged(std::string_view event) {
  return fmt::format(
      "{}.role IN ('cause', 'symptom', 'confirm', 'benign', "
      "'advice', 'progress', 'finish')",
      event);
}

// Lines that look like errors, that no signature judges, that are no source in
// a traceback (a logger calls each of its lines an error), and after which the
// run did not go on: `work` has the last steps of each log, the last one first.
constexpr char kSuspects[] = R"(
  WITH work AS MATERIALIZED (
    SELECT source, line,
           row_number() OVER (PARTITION BY source ORDER BY line DESC) AS steps
      FROM (SELECT DISTINCT source, line FROM store_log_event
             WHERE role = 'progress'))
  SELECT e.source, e.path, e.line, e.offset, e.text,
         max(e.figures ->> '$.weight') AS weight
    FROM store_log_event AS e
    JOIN store_log_source AS s USING (source)
   WHERE e.role = 'suspect' AND (s.kind <> 'kernel' OR {})
     AND NOT EXISTS (SELECT 1 FROM work AS w
                      WHERE w.source = e.source AND w.line > e.line
                        AND w.steps = CASE WHEN e.figures ->> '$.weight' <= {}
                                           THEN 1 ELSE {} END)
     AND NOT EXISTS (SELECT 1 FROM store_log_event AS k
                      WHERE k.source = e.source AND k.line = e.line AND {})
     AND NOT EXISTS (SELECT 1 FROM store_traceback AS t
                      WHERE t.source = e.source AND t.rank IS e.rank
                        AND (e.line BETWEEN t.line AND t.last_line + 1
                             -- the exception of a part of a chain
                             OR (e.line <= t.last_line + 3
                                 AND e.line > t.last_line
                                 AND e.text GLOB '*[a-z_].*[Ee]rror: *')))
   GROUP BY e.source, e.line)";

// What went wrong first is the nearest to the cause: the first of the heaviest
// lines of the block that stands last. `lines` are in the order of the log.
size_t FindLoudest(const std::vector<LineRow>& lines) {
  const auto heaviest = std::ranges::max(lines, {}, &LineRow::weight).weight;
  size_t loudest = lines.size();
  for (size_t i = lines.size(); i-- > 0;) {
    if (lines[i].weight < heaviest) continue;
    const bool first_seen = loudest == lines.size();
    if (!first_seen &&
        (lines[i].line.source != lines[loudest].line.source ||
         lines[loudest].line.line - lines[i].line.line > kInBlock)) {
      break;
    }
    loudest = i;
  }
  return loudest;
}

// The heaviest lines, among equals the last ones, each wording once; in the
// order of the log.
Status FindSuspects(facts::Store* store, size_t most, OpenQuestion* question) {
  ASSIGN_OR_RETURN(
      auto rows,
      SelectRows<LineRow>(&store->db(),
                          "FROM (" +
                              fmt::format(kSuspects, kOfARun, kMildWeight,
                                          kWorkAfterSuspect, IsJudged("k")) +
                              ") ORDER BY weight DESC, source, line DESC"));
  std::vector<LineRow> found;
  std::set<std::string> seen;
  for (LineRow row; found.size() < most && rows.Next(&row);) {
    if (seen.insert(WithoutNumbers(row.line.text)).second) found.push_back(row);
  }
  RETURN_IF_ERROR(rows.statement().status());
  if (found.empty()) return Status::Ok();
  std::ranges::sort(found, {}, [](const LineRow& row) {
    return std::pair(row.line.source, row.line.line);
  });
  question->loudest = FindLoudest(found);
  for (LineRow& row : found) question->suspects.push_back(std::move(row.line));
  return Status::Ok();
}

// Of a bar that is drawn over itself, what it ended with.
Status AddLastLines(facts::Store* store, size_t most, Input* input) {
  ASSIGN_OR_RETURN(auto rows,
                   SelectRows<LineRow>(
                       &store->db(),
                       "FROM (SELECT source, ? AS path, line, max(offset) AS "
                       "offset, text, 0 AS weight FROM store_log_line WHERE "
                       // Of rows of one sign nothing is learned.
                       "source = ? AND (text GLOB '*[0-9A-Za-z]*' OR text GLOB "
                       "'*[^ -~]*') GROUP BY line ORDER BY line DESC LIMIT ?) "
                       "ORDER BY line"));
  rows.statement().BindAll(input->path, input->source, most);
  for (LineRow row; rows.Next(&row);) input->last_lines.push_back(row.line);
  return rows.statement().status();
}

Expected<std::vector<Input>> FindLogs(facts::Store* store,
                                      const OpenQuestionLimits& limits) {
  std::vector<Input> inputs;
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare(
          "SELECT s.source, s.path, s.kind, s.lines, count(DISTINCT e.line) "
          "FROM store_log_source AS s LEFT JOIN store_log_event AS e ON "
          "e.source = s.source AND " +
          IsKnown("e") + " GROUP BY s.source ORDER BY s.source LIMIT ?"));
  row.BindAll(limits.inputs);
  Input input;
  std::string kind;
  for (int64_t lines = 0, known = 0;
       row.Next(&input.source, &input.path, &kind, &lines, &known);) {
    input.read_as = fmt::format("{}, {} line{}, {} of them known to a rule",
                                kind == "kernel" ? "kernel log" : "text",
                                FormatCount(lines), lines == 1 ? "" : "s",
                                FormatCount(known));
    inputs.push_back(input);
  }
  RETURN_IF_ERROR(row.status());
  for (Input& one : inputs) {
    RETURN_IF_ERROR(AddLastLines(store, limits.last_lines, &one));
  }
  return inputs;
}

// The dumps of all ranks become one trace, which has the path of the first.
std::string TraceWords(int64_t pid, int64_t dumps) {
  if (dumps == 1) return "the dump of a flight recorder";
  if (dumps > 1) {
    return fmt::format("the first of {} dumps of flight recorders",
                       FormatCount(dumps));
  }
  return pid > 0 ? fmt::format("trace of process {}", pid)
                 : "trace without a process number";
}

Status AddTraces(facts::Store* store, const OpenQuestionLimits& limits,
                 std::vector<Input>* inputs) {
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare(
          "SELECT t.path, p.pid, p.state, (SELECT count(*) FROM "
          "collective_dump AS d WHERE d.process = t.process) FROM store_trace "
          "AS t JOIN process AS p ON p.process = t.process ORDER BY t.process "
          "LIMIT ?"));
  row.BindAll(limits.inputs);
  int64_t pid = 0;
  int64_t dumps = 0;
  std::string state;
  for (Input input; row.Next(&input.path, &pid, &state, &dumps);) {
    input.read_as = TraceWords(pid, dumps);
    if (state == "ended") input.read_as += ", which ended in order";
    if (state == "alive") input.read_as += ", which is alive";
    if (state == "vanished")
      input.read_as += ", which left no record of its end";
    inputs->push_back(input);
  }
  return row.status();
}

}  // namespace

Expected<OpenQuestion> FindOpenQuestion(facts::Store* store,
                                        const OpenQuestionLimits& limits) {
  OpenQuestion question;
  ASSIGN_OR_RETURN(question.inputs, FindLogs(store, limits));
  RETURN_IF_ERROR(AddTraces(store, limits, &question.inputs));
  RETURN_IF_ERROR(FindSuspects(store, limits.suspects, &question));
  return question;
}

const Evidence* LastErrorAbove(const OpenQuestion& question,
                               const Evidence& line) {
  constexpr int64_t kNear = 100;  // lines
  const Evidence* first = nullptr;
  int64_t reach = kNear;
  int64_t below = line.line;
  for (auto one = question.suspects.rbegin(); one != question.suspects.rend();
       ++one) {
    if (one->source != line.source || one->line >= below) continue;
    if (below - one->line > reach) break;
    first = &*one;
    below = one->line;
    reach = kInBlock;
  }
  return first;
}

}  // namespace inquest::findings
