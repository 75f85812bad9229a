// The facts as a public contract: their names, columns and documentation, read
// from facts.sql, the one place where they are defined. Used to make the views,
// by `inquest facts`, by docs/facts.md and to check rules. Immutable after
// start-up, so any thread may read it.
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
  std::string create;      // the CREATE VIEW statement as written
  bool per_trace = false;  // `create` holds {trace}
};

const std::vector<Fact>& Catalogue();
const Fact* FindFact(std::string_view name);
// The private tables behind the views (store.sql).
std::string_view StoreSchema();
// What fits what, with the tables it stands in (versions.sql).
std::string_view VersionTables();
// The statement that gathers the versions seen (version_seen.sql).
std::string_view VersionsSeen();
// Statements that make the tables of a trace, empty, in an attached schema.
std::string EmptyTraceSchema(std::string_view schema);

// Tables that schema 1 has got since traces were first written, or that only
// imports have; a trace without them has no rows in what is made of them.
inline constexpr std::string_view kAddedTables[] = {
    "cudnn_operation",  "cudnn_interval",     "checkpoint",
    "checkpoint_block", "checkpoint_heap",    "checkpoint_device",
    "checkpoint_site",  "checkpoint_refusal", "checkpoint_step",
    "framework_block",  "framework_memory",   "framework_oom",
    "package",          "cudnn_choice",       "cudnn_interval_choice",
    "python_frame",     "python_stack",       "library_check",
    "pool_segment",     "pool_block",         "profile_sample",
    "pool_chunk",       "pool_bin",           "pool_statistics",
    "pool_history",     "collective_dump",    "collective_group",
    "collective_entry", "checkpoint_mapping", "checkpoint_hold",
    "late_free"};

// Where the tables of a trace lie, or of all merged ones.
struct TraceTablesAt {
  std::string prefix;  // what precedes a table's name: "trace1.", "merged."
  int process = 0;     // 0: each row tells its own, in a column `process`
  // Of kAddedTables; these are read from `empty.` instead.
  std::set<std::string, std::less<>> lacking;
};
// The statement that makes a view of these traces' rows.
std::string CreateViewSql(const Fact& fact,
                          const std::vector<TraceTablesAt>& traces);

}  // namespace inquest::facts
