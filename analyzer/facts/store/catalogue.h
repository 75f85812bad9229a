// SPDX-License-Identifier: Apache-2.0
// The facts as a public contract: their names, columns and documentation, read
// from views/*.sql, the only place where they are defined. Used to make the
// tables and views, by `inquest facts`, by docs/facts.md and to check rules.
// Immutable after start-up, so any thread may read it.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace inquest::facts {

inline constexpr int kFactsVersion = 1;

struct FactColumn {
  std::string name;
  bool nullable = false;
  std::string meaning;
};

struct Fact {
  std::string name;
  std::string meaning;
  std::vector<FactColumn> columns;
  std::string sql;         // the CREATE statements, without comments
  bool is_table = false;   // `sql` makes the table store_NAME, else the view
  bool per_trace = false;  // `sql` holds {trace}
};

const std::vector<Fact>& Catalogue();
const Fact* FindFact(std::string_view name);
// The statement that collects the versions seen (version_seen.sql).
std::string_view VersionsSeen();
// Statements that make the tables of a trace, as they are made.
std::string TraceSchema();
// A database of these tables, for Database::AttachImage.
std::string_view EmptyTrace();
// The statements for an attached schema.
std::string EmptyTraceSchema(std::string_view schema);

// Tables that were added to schema 1 later, or that only imports have; for a
// trace without them the facts made from them have no rows.
inline constexpr std::string_view kAddedTables[] = {"cudnn_operation",
                                                    "cudnn_interval",
                                                    "checkpoint",
                                                    "checkpoint_block",
                                                    "checkpoint_heap",
                                                    "checkpoint_device",
                                                    "checkpoint_site",
                                                    "checkpoint_refusal",
                                                    "checkpoint_step",
                                                    "framework_block",
                                                    "framework_memory",
                                                    "framework_oom",
                                                    "package",
                                                    "cudnn_choice",
                                                    "cudnn_interval_choice",
                                                    "python_frame",
                                                    "python_stack",
                                                    "library_check",
                                                    "pool_segment",
                                                    "pool_block",
                                                    "native_frame",
                                                    "native_stack",
                                                    "profile_sample",
                                                    "pool_chunk",
                                                    "pool_bin",
                                                    "pool_statistics",
                                                    "pool_history",
                                                    "collective_dump",
                                                    "collective_group",
                                                    "collective_entry",
                                                    "checkpoint_mapping",
                                                    "checkpoint_hold",
                                                    "late_free",
                                                    "driver",
                                                    "cgroup_memory",
                                                    "library_part"};

// Where the tables of a trace are, or of all merged ones.
struct TraceTablesAt {
  std::string prefix;  // prefix of a table's name: "trace1.", "merged."
  int process = 0;     // 0: each row has it in a column `process`
  // Of kAddedTables; these are read from `empty.` instead.
  std::set<std::string, std::less<>> missing;
};
// The statement that makes a fact's view over these traces.
std::string CreateViewSql(const Fact& fact,
                          const std::vector<TraceTablesAt>& traces);

}  // namespace inquest::facts
