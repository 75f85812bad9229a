#include "analyzer/facts/store/catalogue.h"

#include <re2/re2.h>

#include <sstream>

#include "facts_files.h"

namespace inquest::facts {
namespace {

std::string_view Embedded(std::string_view name) {
  for (const auto& file : embedded::Files()) {
    if (file.name == name) return file.text;
  }
  return {};
}

bool TakePrefix(std::string_view* text, std::string_view prefix) {
  if (text->substr(0, prefix.size()) != prefix) return false;
  text->remove_prefix(prefix.size());
  return true;
}

FactColumn ParseColumn(std::string_view text) {
  const size_t space = text.find(' ');
  FactColumn column;
  column.name = text.substr(0, space);
  column.meaning = space == text.npos ? "" : text.substr(space + 1);
  if (!column.name.empty() && column.name.back() == '?') {
    column.nullable = true;
    column.name.pop_back();
  }
  return column;
}

// facts.sql line by line: a comment block that begins with @fact, then the
// statement up to its semicolon.
std::vector<Fact> ParseFacts(std::string_view sql) {
  std::vector<Fact> facts;
  std::istringstream lines{std::string(sql)};
  for (std::string text; std::getline(lines, text);) {
    std::string_view line = text;
    if (TakePrefix(&line, "-- @fact ")) {
      facts.emplace_back().name = line;
    } else if (facts.empty()) {
      continue;  // the preface
    } else if (TakePrefix(&line, "-- @column ")) {
      facts.back().columns.push_back(ParseColumn(line));
    } else if (TakePrefix(&line, "-- ")) {
      std::string& meaning = facts.back().meaning;
      if (!meaning.empty()) meaning += ' ';
      meaning += line;
    } else if (!line.empty()) {
      facts.back().create += text + '\n';
    }
  }
  for (Fact& fact : facts) {
    fact.per_trace = fact.create.find("{trace}") != std::string::npos;
  }
  return facts;
}

void ReplaceAll(std::string* text, std::string_view from, std::string_view to) {
  for (size_t at = text->find(from); at != text->npos;
       at = text->find(from, at + to.size())) {
    text->replace(at, from.size(), to);
  }
}

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
                   trace.lacking.contains(table) ? "empty." : trace.prefix);
  }
  return NameProcess(select, trace.process);
}

}  // namespace

const std::vector<Fact>& Catalogue() {
  static const auto* facts =
      new std::vector<Fact>(ParseFacts(Embedded("facts.sql")));
  return *facts;
}

const Fact* FindFact(std::string_view name) {
  for (const Fact& fact : Catalogue()) {
    if (fact.name == name) return &fact;
  }
  return nullptr;
}

std::string_view StoreSchema() {
  return Embedded("store.sql");
}

std::string_view VersionTables() {
  return Embedded("versions.sql");
}

std::string_view VersionsSeen() {
  return Embedded("version_seen.sql");
}

std::string EmptyTraceSchema(std::string_view schema) {
  std::string sql(Embedded("schema.sql"));
  sql += Embedded("imports.sql");
  ReplaceAll(&sql, "CREATE TABLE ",
             "CREATE TABLE " + std::string(schema) + ".");
  ReplaceAll(&sql, "PRAGMA ", "PRAGMA " + std::string(schema) + ".");
  return sql;
}

std::string CreateViewSql(const Fact& fact,
                          const std::vector<TraceTablesAt>& traces) {
  if (!fact.per_trace) return fact.create;
  // Only the first SELECT of a block speaks of a trace; what follows a UNION
  // ALL on a line of its own is made once.
  const size_t select = fact.create.find("SELECT");
  const size_t semicolon = fact.create.rfind(';');
  std::string body = fact.create.substr(select, semicolon - select);
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
