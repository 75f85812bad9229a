// SPDX-License-Identifier: Apache-2.0
#include "authoring/lint/nullable.h"

#include "authoring/lint/sql_place.h"
#include "authoring/lint/sql_tokens.h"
#include "tests/catch_compat.h"

using namespace inquest;
using namespace inquest::authoring;

namespace {

// "column sign" of each use, separated by commas.
std::string Uses(std::string_view sql) {
  std::string text;
  for (const NullableUse& use : NullableUses(sql)) {
    text += (text.empty() ? "" : ", ") + use.column + " " + use.sign;
  }
  return text;
}

}  // namespace

TEST_CASE("SQL falls into words, texts, numbers and signs") {
  std::string joined;
  for (const SqlToken& token : SqlTokens(
           "SELECT a.b<>'x y' || \"c d\" -- no\n/* no */ >= :p->>'$.q'")) {
    joined += token.text + "|";
  }
  CHECK(joined == "SELECT|a|.|b|<>|'x y'||||\"c d\"|>=|:p|->>|'$.q'|");
  CHECK(SqlTokens("").empty());
  CHECK(SqlTokens("'open").size() == 1);
  CHECK(SqlTokens("/* open").empty());
}

TEST_CASE("comparisons with nullable columns are found by alias and by name") {
  CHECK(Uses("SELECT 1 FROM oom AS o WHERE o.rank = 3") == "o.rank =");
  CHECK(Uses("SELECT 1 FROM oom WHERE rank <> 3") == "rank <>");
  CHECK(Uses("SELECT 1 FROM oom WHERE 3 < rank") == "rank <");
  CHECK(Uses("SELECT 1 FROM oom WHERE rank NOT IN (1, 2)") == "rank NOT IN");
  CHECK(Uses("SELECT 1 FROM oom AS a JOIN xid AS b ON a.rank = b.device") ==
        "a.rank =, b.device =");
}

TEST_CASE("what can not be NULL, and what is guarded, is left alone") {
  CHECK(Uses("SELECT 1 FROM oom WHERE source = 'trace'").empty());
  CHECK(Uses("SELECT 1 FROM oom WHERE rank IS NOT NULL AND rank > 1").empty());
  CHECK(Uses("SELECT 1 FROM oom WHERE coalesce(rank, 0) > 1").empty());
  CHECK(Uses("SELECT ifnull(rank, 0) FROM oom WHERE rank > 1").empty());
  CHECK(Uses("SELECT 1 FROM nothing WHERE rank > 1").empty());
  // Not nullable in one of the two facts it could come from.
  CHECK(Uses("SELECT 1 FROM oom, memory_event WHERE device = 1").empty());
  CHECK(Uses("SELECT 'rank <> 3' FROM oom -- rank <> 3").empty());
}

TEST_CASE("a piece of SQL has its place in the file") {
  const std::string file =
      "rules:\n  - sql: |\n      SELECT a\n        FROM b\n";
  const std::string sql = "SELECT a\n  FROM b\n";
  const auto place = PlaceInSql(file, {"f", 2, 10}, sql, sql.find("b\n"), "b");
  CHECK(place.line == 4);
  CHECK(place.column == 14);
  const auto plain =
      PlaceInSql("sql: SELECT a", {"f", 1, 6}, "SELECT a", 7, "a");
  CHECK(plain.line == 1);
  CHECK(plain.column == 13);
  // A folded text has no lines of its own.
  const auto folded =
      PlaceInSql("sql: >\n  SELECT\n  a", {"f", 1, 6}, "SELECT a", 7, "a");
  CHECK(folded.line == 1);
  CHECK(folded.column == 6);
}
