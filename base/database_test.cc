// What a statement says when it cannot run.
#include "base/database.h"

#include "tests/catch_compat.h"

using inquest::Database;
using inquest::Statement;

namespace {

// As callers do that go on and look at the first failure later.
Statement PrepareOr(Database* db, const char* sql) {
  auto made = db->Prepare(sql);
  return made.ok() ? made.Take() : Statement::Unprepared(made.status());
}

}  // namespace

TEST_CASE("a statement that was not prepared fails for that reason") {
  auto db = Database::OpenMemory();
  REQUIRE(db.ok());
  Statement statement = PrepareOr(&*db, "INSERT INTO nowhere VALUES(?)");
  for (int round = 0; round < 2; ++round) {
    statement.Bind(0, int64_t{7}).Bind(1, "text").BindNull(2);
    const auto status = statement.Run();
    CHECK_THAT(status.message(), HasText("no such table: nowhere"));
  }
  CHECK_FALSE(statement.Step());
  CHECK_THAT(statement.status().message(), HasText("nowhere"));
  CHECK(statement.columns() == 0);
}

TEST_CASE("no statement at all is not a want of memory") {
  auto db = Database::OpenMemory();
  REQUIRE(db.ok());
  Statement none;
  CHECK_THAT(none.Run().message(), HasText("no statement"));
  CHECK_THAT(PrepareOr(&*db, "-- nothing").Run().message(),
             HasText("no statement"));
}

TEST_CASE("what fails when it runs tells SQLite's reason, then is as new") {
  auto db = Database::OpenMemory();
  REQUIRE(db.ok());
  REQUIRE(db->Execute("CREATE TABLE t (x INTEGER PRIMARY KEY)").ok());
  Statement insert = PrepareOr(&*db, "INSERT INTO t VALUES(?)");
  CHECK(insert.Bind(0, int64_t{1}).Run().ok());
  CHECK_THAT(insert.Bind(0, int64_t{1}).Run().message(), HasText("UNIQUE"));
  CHECK(insert.Bind(0, int64_t{2}).Run().ok());
}
