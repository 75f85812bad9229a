// SPDX-License-Identifier: Apache-2.0
// What SQL of untrusted rules may do, and what stops it.
#include "analyzer/findings/sandbox/sandbox.h"

#include "analyzer/facts/store/store.h"
#include "tests/catch_compat.h"

namespace inquest::findings {
namespace {

facts::Store MadeStore() {
  auto store = facts::Store::Create();
  REQUIRE(store.ok());
  const Status defined = store->DefineFacts();
  INFO(defined.message());
  REQUIRE(defined.ok());
  return store.Take();
}

// The reason why the SQL was refused; empty if it was allowed.
std::string Refusal(const std::string& sql) {
  facts::Store store = MadeStore();
  Sandbox sandbox(&store.db(), {});
  auto statement = sandbox.Prepare(sql);
  return statement.ok() ? "" : statement.status().message();
}

TEST_CASE("facts, joins, windows and JSON are allowed") {
  CHECK(Refusal("SELECT * FROM oom") == "");
  CHECK(Refusal("SELECT process, count(*) FROM memory_event GROUP BY 1") == "");
  CHECK(Refusal("WITH a AS (SELECT id, row_number() OVER (ORDER BY id) AS n "
                "FROM log_event) SELECT * FROM a WHERE n < 3") == "");
  CHECK(Refusal("SELECT figures ->> '$.xid' FROM log_event") == "");
  CHECK(Refusal("SELECT f.value FROM log_event AS e, json_each(e.figures) AS "
                "f") == "");
  CHECK(Refusal("SELECT * FROM xid JOIN process_exit USING (evidence)") == "");
}

TEST_CASE("everything else is refused with its name") {
  CHECK_THAT(Refusal("DELETE FROM log_event"), HasText("cannot modify"));
  CHECK_THAT(Refusal("ATTACH '/etc/passwd' AS p"), HasText("only SELECT"));
  CHECK_THAT(Refusal("PRAGMA writable_schema = 1"), HasText("only SELECT"));
  CHECK_THAT(Refusal("CREATE TABLE t (a)"), HasText("only SELECT"));
  CHECK_THAT(Refusal("SELECT * FROM store_oom"), HasText("store_oom"));
  CHECK_THAT(Refusal("SELECT * FROM sqlite_schema"), HasText("sqlite"));
  CHECK_THAT(Refusal("SELECT load_extension('x')"), HasText("load_extension"));
  CHECK_THAT(Refusal("SELECT random()"), HasText("random"));
  CHECK_THAT(Refusal("SELECT zeroblob(1000000000)"), HasText("zeroblob"));
  CHECK_THAT(Refusal("SELECT datetime('now')"), HasText("datetime"));
  CHECK_THAT(Refusal("SELECT CURRENT_TIMESTAMP"), HasText("current_timestamp"));
  CHECK_THAT(Refusal("VACUUM"), HasText("only SELECT"));
  CHECK_THAT(Refusal("-- nothing"), HasText("no statement"));
  CHECK_THAT(Refusal("SELECT 1; SELECT 2"), HasText("one statement"));
  CHECK_THAT(Refusal("SELEC 1"), HasText("syntax error"));
}

TEST_CASE("an endless query is stopped by its time limit") {
  facts::Store store = MadeStore();
  Sandbox sandbox(&store.db(), {1000, 50});
  auto statement = sandbox.Prepare(
      "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) "
      "SELECT max(x) FROM n");
  REQUIRE(statement.ok());
  CHECK_FALSE(sandbox.Step(&*statement));
  CHECK_THAT(sandbox.limit(), HasText("stopped after 50 ms"));
}

TEST_CASE("rows are counted") {
  facts::Store store = MadeStore();
  Sandbox sandbox(&store.db(), {5, 10000});
  auto statement = sandbox.Prepare(
      "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) "
      "SELECT x FROM n");
  REQUIRE(statement.ok());
  int rows = 0;
  while (sandbox.Step(&*statement)) ++rows;
  CHECK(rows == 5);
  CHECK_THAT(sandbox.limit(), HasText("5 rows"));
}

TEST_CASE("functions of the sandbox agree with SQLite's own") {
  auto plain = Database::OpenMemory();
  REQUIRE(plain.ok());
  facts::Store store = MadeStore();
  Sandbox sandbox(&store.db(), {});
  const char* texts[] = {"''",      "'aa'",   "'xaaxaax'", "'äöaöä'", "NULL",
                         "x'6162'", "'  a '", "12",        "'€a€'",   "'ö'"};
  int compared = 0;
  for (const std::string a : texts) {
    for (const std::string b : texts) {
      for (const std::string& call :
           {"instr(" + a + ", " + b + ")", "trim(" + a + ", " + b + ")",
            "ltrim(" + a + ", " + b + ")", "rtrim(" + a + ", " + b + ")",
            "replace(" + a + ", " + b + ", 'zz')"}) {
        INFO(call);
        const std::string sql =
            "SELECT quote(" + call + "), typeof(" + call + ")";
        auto expected = plain->Prepare(sql);
        auto found = sandbox.Prepare(sql);
        REQUIRE(expected.ok());
        REQUIRE(found.ok());
        sandbox.RestartRows();
        REQUIRE(expected->Step());
        REQUIRE(sandbox.Step(&*found));
        CHECK(found->Text(0) == expected->Text(0));
        CHECK(found->Text(1) == expected->Text(1));
        ++compared;
      }
    }
  }
  CHECK(compared == 500);
}

TEST_CASE("memory, texts and the size of rows are bounded") {
  facts::Store store = MadeStore();
  const std::string endless =
      "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) ";
  const auto stopped_by = [&](const std::string& sql, SqlLimits limits) {
    Sandbox sandbox(&store.db(), limits);
    auto statement = sandbox.Prepare(sql);
    if (statement.ok()) {
      while (sandbox.Step(&*statement)) {
      }
    }
    return sandbox.limit();
  };
  SqlLimits limits;
  limits.milliseconds = 60000;
  CHECK_THAT(
      stopped_by(endless + "SELECT json_group_array(hex(x)) FROM n LIMIT "
                           "1",
                 limits),
      HasText("of memory"));
  CHECK_THAT(stopped_by("WITH RECURSIVE n(x) AS (SELECT 'aaaaaaaa' UNION ALL "
                        "SELECT x || x FROM n) SELECT length(x) FROM n",
                        limits),
             HasText("texts of more than"));
  limits.bytes = 10000;
  CHECK_THAT(stopped_by(endless + "SELECT x FROM n", limits),
             HasText("its rows take up more than"));
}

TEST_CASE("the restriction ends with the sandbox") {
  facts::Store store = MadeStore();
  { Sandbox sandbox(&store.db(), {}); }
  CHECK(store.db().Execute("CREATE TABLE t (a)").ok());
}

}  // namespace
}  // namespace inquest::findings
