// The facts as a public contract: their names, columns and documentation, read
// from facts.sql, the one place where they are defined. Used to make the views,
// by `inquest facts`, by docs/facts.md and to check rules. Immutable after
// start-up, so any thread may read it.
#pragma once

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
  bool per_trace = false;  // `create` holds {process} and {trace}
};

const std::vector<Fact>& Catalogue();
const Fact* FindFact(std::string_view name);
// The private tables behind the views (store.sql).
std::string_view StoreSchema();
// Statements that make the tables of a trace, empty, in an attached schema.
std::string EmptyTraceSchema(std::string_view schema);

// The statement that makes a view for these traces; the schema names stand in
// the order of their process numbers, the first being process 1. An entry ends
// in what precedes a table's name: "trace1." or "merged.t9_".
std::string CreateViewSql(const Fact& fact,
                          const std::vector<std::string>& trace_prefixes);

}  // namespace inquest::facts
