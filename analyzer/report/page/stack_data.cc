// SPDX-License-Identifier: Apache-2.0
// The stacks of a job that stands still, merged: where all went together, where
// they part, and who stands where.
#include "analyzer/report/page/page_data.h"

namespace inquest::report {
namespace {

using nlohmann::json;

constexpr size_t kNodesDrawn = 1200;
constexpr size_t kProcessesShown = 200;

}  // namespace

Expected<json> StackData(const PageSource& source) {
  // A parent is numbered before what it calls, so a cut leaves whole branches.
  ASSIGN_OR_RETURN(json tree,
                   Rows(source,
                        "SELECT node, parent, function, file, file_line, "
                        "processes, substr(who, 1, 200) AS who, ends FROM "
                        "stack_tree ORDER BY node",
                        kNodesDrawn));
  if (tree.empty()) return json::object();
  ASSIGN_OR_RETURN(
      json processes,
      Rows(source,
           "SELECT role, count(*) AS processes, iif(count(rank) = count(*), "
           "group_concat(rank, ', '), group_concat(coalesce('pid ' || pid, "
           "label), ', ')) AS who, place, function, file || "
           "coalesce(':' || file_line, '') AS stands_in, caller, thread, tool "
           "FROM (SELECT * FROM stack_process WHERE role <> 'repeated' ORDER "
           "BY rank, pid, label) GROUP BY role, place, function, file, "
           "file_line, caller, thread, tool ORDER BY role <> 'holds-up', role "
           "<> 'waits', count(*)",
           kProcessesShown));
  return json{{"tree", tree}, {"processes", processes}};
}

}  // namespace inquest::report
