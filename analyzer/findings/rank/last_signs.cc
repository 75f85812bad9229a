// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/rank/last_signs.h"

#include <fmt/format.h>

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
      "WHERE e.role = 'context' AND e.figures ->> '$.{}' IS NOT NULL {} "
      "ORDER BY e.source DESC, e.line DESC LIMIT 1",
      name, name, condition));
  std::string words;
  std::string path;
  int64_t line = 0;
  if (!row.ok() || !row->Next(&words, &path, &line)) return {};
  return fmt::format("{} ({}:{})", words, path, line);
}

// Epochs are counted from 0 or from 1, so the last has one of two numbers.
std::string LastEpoch(facts::Store* store) {
  auto row = store->db().Prepare(
      "SELECT e.figures ->> '$.epoch', (SELECT max(p.figures ->> "
      "'$.planned_epochs') FROM store_log_event AS p WHERE p.source = e.source "
      "AND p.line < e.line) FROM store_log_event AS e WHERE e.figures ->> "
      "'$.epoch' IS NOT NULL AND e.role IN ('progress', 'context') ORDER BY "
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
      "AND NOT EXISTS (SELECT 1 FROM store_log_event AS p WHERE p.source = "
      "e.source AND p.line > e.line AND p.role = 'progress')");
  signs.epoch = LastEpoch(store);
  signs.kernel_only =
      Exists(store, "FROM store_log_source") &&
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
