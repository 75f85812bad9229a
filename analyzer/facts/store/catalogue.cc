// SPDX-License-Identifier: Apache-2.0
#include "analyzer/facts/store/catalogue.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include "analyzer/facts/store/fact_parser.h"
#include "base/text.h"
#include "fact_views.h"
#include "facts_files.h"
#include "store_images.h"

namespace inquest::facts {
namespace {

constexpr std::string_view kTrace = "{trace}.";
constexpr std::string_view kNameChars = "abcdefghijklmnopqrstuvwxyz_";

// {process}, or {m.process} of a row m.
std::string NameProcess(const std::string& select, int process) {
  static const auto* mark = new RE2(R"(\{((?:\w+\.)?process)\})");
  std::string named = select;
  RE2::GlobalReplace(&named, *mark,
                     process == 0 ? "\\1" : std::to_string(process));
  return named;
}

std::string ForTrace(std::string select, const TraceTablesAt& trace) {
  for (size_t at = select.find(kTrace); at != select.npos;
       at = select.find(kTrace, at)) {
    const size_t name = at + kTrace.size();
    const std::string_view table = std::string_view(select).substr(name).substr(
        0, select.find_first_not_of(kNameChars, name) - name);
    select.replace(at, kTrace.size(),
                   trace.missing.contains(table) ? "empty." : trace.prefix);
  }
  return NameProcess(select, trace.process);
}

std::string ShowTable(const Fact& fact) {
  std::string columns;
  for (const FactColumn& column : fact.columns) {
    if (!columns.empty()) columns += ", ";
    columns += column.name;
  }
  return fmt::format("CREATE TEMP VIEW {0} AS SELECT {1} FROM store_{0};",
                     fact.name, columns);
}

}  // namespace

const std::vector<Fact>& Catalogue() {
  static const auto* facts = [] {
    auto* all = new std::vector<Fact>;
    for (const auto& file : views::Files()) ParseFacts(file.text, all);
    return all;
  }();
  return *facts;
}

const Fact* FindFact(std::string_view name) {
  for (const Fact& fact : Catalogue()) {
    if (fact.name == name) return &fact;
  }
  return nullptr;
}

std::string_view VersionsSeen() {
  return embedded::version_seen_sql();
}

std::string TraceSchema() {
  std::string sql(embedded::schema_sql());
  sql += embedded::imports_sql();
  return sql;
}

std::string_view EmptyTrace() {
  return images::trace_sqlite();
}

std::string EmptyTraceSchema(std::string_view schema) {
  std::string sql = TraceSchema();
  ReplaceAll(&sql, "CREATE TABLE ",
             "CREATE TABLE " + std::string(schema) + ".");
  ReplaceAll(&sql, "PRAGMA ", "PRAGMA " + std::string(schema) + ".");
  return sql;
}

std::string CreateViewSql(const Fact& fact,
                          const std::vector<TraceTablesAt>& traces) {
  if (fact.is_table) return ShowTable(fact);
  if (!fact.per_trace) return fact.sql;
  // Only the first SELECT reads a trace; the part after a UNION ALL on a
  // separate line is used once.
  const size_t select = fact.sql.find("SELECT");
  const size_t semicolon = fact.sql.rfind(';');
  std::string body = fact.sql.substr(select, semicolon - select);
  std::string rest;
  if (const size_t once = body.find("\nUNION ALL\n"); once != body.npos) {
    rest = body.substr(once);
    body.resize(once);
  }
  // TEMP, because only such a view may name tables of other schemas.
  std::string sql = "CREATE TEMP VIEW " + fact.name + " AS\n";
  for (size_t i = 0; i < traces.size(); ++i) {
    if (i > 0) sql += "\nUNION ALL\n";
    sql += ForTrace(body, traces[i]);
  }
  return sql + rest + ';';
}

}  // namespace inquest::facts
