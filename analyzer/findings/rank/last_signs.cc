// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/rank/last_signs.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "analyzer/findings/rank/flight_place.h"
#include "base/text.h"

namespace inquest::findings {
namespace {

bool Exists(facts::Store* store, const char* condition) {
  const auto found = store->db().QueryInt(
      fmt::format("SELECT EXISTS (SELECT 1 {})", condition));
  return found.ok() && *found != 0;
}

// The last line with the figure `name`, whose value says what the line means.
// Work after it belongs to something else.
std::string LastWith(facts::Store* store, const char* name,
                     const char* condition) {
  auto row = store->db().Prepare(fmt::format(
      "SELECT e.figures ->> '$.{}', e.path, e.line FROM store_log_event AS e "
      "WHERE e.role IN ('context', 'milestone') AND e.figures ->> '$.{}' IS "
      "NOT NULL {} "
      "ORDER BY e.source DESC, e.line DESC LIMIT 1",
      name, name, condition));
  std::string words;
  std::string path;
  int64_t line = 0;
  if (!row.ok() || !row->Next(&words, &path, &line)) return {};
  return fmt::format("{} ({}:{})", words, path, line);
}

// "(base) user@node1:~/run>": a shell's prompt without a command.
bool IsPrompt(std::string_view text) {
  text = Trim(text);
  if (text.starts_with('(')) {
    text = Trim(text.substr(std::min(text.find(')'), text.size() - 1) + 1));
  }
  const size_t at = text.find('@');
  const size_t colon = text.find(':', at);
  if (at == 0 || colon == text.npos || colon + 2 >= text.size()) return false;
  const char path = text[colon + 1];
  const char end = text.back();
  return (path == '~' || path == '/') &&
         (end == '$' || end == '#' || end == '>') &&
         text.find(' ') == text.npos;
}

// Where the last line is a prompt, the command before it has ended.
std::string Prompt(facts::Store* store) {
  auto row = store->db().Prepare(
      "SELECT l.text, s.path, l.line FROM store_log_line AS l JOIN "
      "store_log_source AS s USING (source) WHERE trim(l.text) <> '' ORDER BY "
      "l.source DESC, l.line DESC LIMIT 1");
  std::string text;
  std::string path;
  int64_t line = 0;
  if (!row.ok() || !row->Next(&text, &path, &line)) return {};
  if (!IsPrompt(text)) return {};
  return fmt::format("the shell asks for the next command ({}:{})", path, line);
}

// Epochs are counted from 0 or from 1, so the last has one of two numbers.
std::string LastEpoch(facts::Store* store) {
  auto row = store->db().Prepare(
      "SELECT e.figures ->> '$.epoch', (SELECT max(p.figures ->> "
      "'$.planned_epochs') FROM store_log_event AS p WHERE p.source = e.source "
      "AND p.line < e.line) FROM store_log_event AS e WHERE e.figures ->> "
      "'$.epoch' IS NOT NULL AND e.role IN ('progress', 'milestone') ORDER BY "
      "e.source DESC, e.line DESC LIMIT 1");
  int64_t epoch = 0;
  int64_t planned = 0;
  if (!row.ok() || !row->Next(&epoch, &planned) || planned < 2) return {};
  if (epoch == planned) {
    return fmt::format("the last of its {} epochs is in the log", planned);
  }
  if (epoch != planned - 1) return {};
  return fmt::format(
      "the log goes to epoch {} of {} (the last, where they are counted from "
      "0)",
      epoch, planned);
}

}  // namespace

LastSigns FindLastSigns(facts::Store* store) {
  LastSigns signs;
  signs.milestone = LastWith(store, "milestone", "");
  signs.ended = LastWith(
      store, "ended",
      "AND (SELECT s.lines FROM store_log_source AS s WHERE s.source = "
      "e.source) - e.line < 6 "
      "AND NOT EXISTS (SELECT 1 FROM store_log_event AS p WHERE p.source = "
      "e.source AND p.line > e.line AND p.role = 'progress')");
  // A warning after which the run went on for long means nothing for its end.
  signs.warned = LastWith(
      store, "warned",
      "AND NOT EXISTS (SELECT 1 FROM store_log_event AS p WHERE p.source = "
      "e.source AND p.line > e.line AND p.role = 'progress' LIMIT 1 OFFSET 9)");
  if (signs.ended.empty()) signs.ended = Prompt(store);
  signs.epoch = LastEpoch(store);
  signs.refused = Exists(
      store,
      "FROM store_log_event AS e JOIN store_log_source AS s USING (source) "
      "WHERE e.role = 'benign' AND s.lines - e.line < 3 AND (e.text LIKE "
      "'%out of memory%' OR e.text LIKE '%out_of_memory%') AND NOT EXISTS "
      "(SELECT 1 FROM store_log_event AS p WHERE p.source = e.source AND "
      "p.line > e.line AND p.role = 'progress')");
  signs.no_log = !Exists(store, "FROM store_log_source");
  if (signs.no_log) signs.flights = FlightPlace(store);
  signs.kernel_only =
      !signs.no_log &&
      !Exists(store, "FROM store_log_source WHERE kind <> 'kernel'");
  signs.stacks_only =
      Exists(store,
             "FROM store_stack_process WHERE tool IN ('pyspy', 'gdb') AND role "
             "<> 'failed'") &&
      !Exists(store,
              "FROM store_log_event WHERE role IN ('progress', "
              "'suspect', 'finish')");
  return signs;
}

}  // namespace inquest::findings
