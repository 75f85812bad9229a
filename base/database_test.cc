// SPDX-License-Identifier: Apache-2.0
// Values in and out by their order, structs as rows, and the errors of
// statements that cannot run.
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/capped_sum.h"
#include "base/rows.h"
#include "tests/catch_compat.h"

using inquest::Blob;
using inquest::Database;
using inquest::InsertInto;
using inquest::SelectRows;
using inquest::Statement;

namespace {

// Like callers that continue and check the first failure later.
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

TEST_CASE("a missing statement is not reported as lack of memory") {
  auto db = Database::OpenMemory();
  REQUIRE(db.ok());
  Statement none;
  CHECK_THAT(none.Run().message(), HasText("no statement"));
  CHECK_THAT(PrepareOr(&*db, "-- nothing").Run().message(),
             HasText("no statement"));
}

TEST_CASE("a failing statement gives SQLite's reason and can be run again") {
  auto db = Database::OpenMemory();
  REQUIRE(db.ok());
  REQUIRE(db->Execute("CREATE TABLE t (x INTEGER PRIMARY KEY)").ok());
  Statement insert = PrepareOr(&*db, "INSERT INTO t VALUES(?)");
  CHECK(insert.Bind(0, int64_t{1}).Run().ok());
  CHECK_THAT(insert.Bind(0, int64_t{1}).Run().message(), HasText("UNIQUE"));
  CHECK(insert.Bind(0, int64_t{2}).Run().ok());
}

TEST_CASE("values go in and come out by their order") {
  enum class Op : uint8_t { kFree = 7 };
  auto db = Database::OpenMemory();
  REQUIRE(db->Execute("CREATE TABLE t(a, b, c, d, e, f)").ok());
  auto insert = db->Prepare("INSERT INTO t VALUES(?, ?, ?, ?, ?, ?)");
  REQUIRE(insert
              ->Run(-1, 0.5, "text", Op::kFree, std::optional<int64_t>{},
                    Blob{std::string_view("\0x", 2)})
              .ok());
  REQUIRE(insert
              ->Run(uint64_t{1} << 63, 1.5F, std::string("more"), true,
                    std::optional<std::string>("there"), nullptr)
              .ok());
  auto rows = db->Prepare("SELECT * FROM t ORDER BY b");
  int64_t a = 0;
  double b = 0;
  std::string c;
  Op d{};
  std::optional<std::string> e = "left over";
  Blob f;
  REQUIRE(rows->Next(&a, &b, &c, &d, &e, &f));
  CHECK(a == -1);
  CHECK(b == 0.5);
  CHECK(c == "text");
  CHECK(d == Op::kFree);
  CHECK_FALSE(e);
  CHECK(f.bytes == std::string_view("\0x", 2));
  bool truth = false;
  REQUIRE(rows->Next(&a, &b, &c, &truth, &e, &f));
  CHECK(static_cast<uint64_t>(a) == uint64_t{1} << 63);
  CHECK(truth);
  CHECK(e == "there");
  CHECK(f.bytes.empty());
  CHECK_FALSE(rows->Next(&a));
  CHECK(rows->status().ok());
}

namespace {

struct Step {
  int64_t step = 0;
  std::string name;
  std::optional<int64_t> rank;
  template <class V>
  void Columns(V& v) {
    v("step", step);
    v("name", name);
    v("rank", rank);
  }
};

}  // namespace

TEST_CASE("a struct names its columns once, for both directions") {
  auto db = Database::OpenMemory();
  REQUIRE(db->Execute("CREATE TABLE steps(rank, name, step)").ok());
  auto insert = InsertInto<Step>(&*db, "steps");
  REQUIRE(insert.ok());
  REQUIRE(insert->Add({1, "warm-up", {}}).ok());
  REQUIRE(insert->Add({2, "train", 9}).ok());
  auto rows = SelectRows<Step>(&*db, "FROM steps WHERE step > ?");
  REQUIRE(rows.ok());
  rows->statement().BindAll(1);
  Step step;
  REQUIRE(rows->Next(&step));
  CHECK(step.name == "train");
  CHECK(step.rank == 9);
  CHECK_FALSE(rows->Next(&step));
  CHECK_FALSE(SelectRows<Step>(&*db, "FROM nowhere").ok());
}

TEST_CASE("sums stop at the largest integer, and are SQLite's otherwise") {
  auto db = Database::OpenMemory();
  REQUIRE(db.ok());
  const std::vector<std::string> within = {
      "SELECT sum(x) FROM (SELECT 1 AS x WHERE 0)",
      "SELECT sum(column1) FROM (VALUES (1), (NULL), (41))",
      "SELECT sum(column1) FROM (VALUES (1), (2.5), ('3'))",
      "SELECT group_concat(s) FROM (SELECT sum(column1) OVER (ORDER BY column1 "
      "ROWS 1 PRECEDING) AS s FROM (VALUES (1), (2), (3), (4)))"};
  const auto text = [&](const std::string& sql) {
    auto row = db->Prepare(sql.c_str());
    REQUIRE(row.ok());
    std::optional<std::string> value;
    REQUIRE(row->Next(&value));
    return value.value_or("NULL");
  };
  std::vector<std::string> before;
  for (const std::string& sql : within) before.push_back(text(sql));
  REQUIRE(inquest::CapSums(&*db).ok());
  for (size_t i = 0; i < within.size(); ++i) {
    CHECK(text(within[i]) == before[i]);
  }
  CHECK(text("SELECT sum(column1) FROM (VALUES (9223372036854775807), (1))") ==
        "9223372036854775807");
  CHECK(
      text("SELECT sum(column1) FROM (VALUES (-9223372036854775807), (-9))") ==
      "-9223372036854775808");
}

TEST_CASE("rows are visited by id, until the visitor has enough") {
  auto db = Database::OpenMemory();
  REQUIRE(db.ok());
  REQUIRE(db->Execute("CREATE TABLE t (id INTEGER PRIMARY KEY, x, y);"
                      "INSERT INTO t VALUES (5, 50, NULL), (3, -30, '7'),"
                      "(9, 9223372036854775807, 2.5), (1, 10, 'text')")
              .ok());
  using Rows = std::vector<std::vector<int64_t>>;
  const auto visited = [&](int64_t after, size_t most) {
    Rows rows;
    CHECK(db->VisitRows("t", "id, x, y", after,
                        [&](std::span<const int64_t> row) {
                          rows.emplace_back(row.begin(), row.end());
                          return rows.size() < most;
                        })
              .ok());
    return rows;
  };
  const Rows all = {{1, 10, 0}, {3, -30, 7}, {5, 50, 0}, {9, INT64_MAX, 2}};
  CHECK(visited(0, 9) == all);
  CHECK(visited(3, 1) == Rows{all[2]});
  CHECK(visited(9, 9).empty());
}

TEST_CASE("a visitor may ask the connection, and an error is told") {
  auto db = Database::OpenMemory();
  REQUIRE(db.ok());
  REQUIRE(db->Execute("CREATE TABLE t (id INTEGER PRIMARY KEY);"
                      "INSERT INTO t VALUES (1), (2)")
              .ok());
  int64_t sum = 0;
  const auto add = [&](std::span<const int64_t> row) {
    sum += row[0] * *db->QueryInt("SELECT count(*) FROM t");
    return true;
  };
  CHECK(db->VisitRows("t", "id", 0, add).ok());
  CHECK(sum == 6);
  CHECK_FALSE(db->VisitRows("missing", "id", 0, add).ok());
  // SQL cannot make up a visitor.
  CHECK(*db->QueryInt("SELECT inquest_visit(7) IS NULL") == 1);
}

TEST_CASE("rows of integers are inserted by one statement") {
  auto db = Database::OpenMemory();
  REQUIRE(db.ok());
  REQUIRE(db->DefineRows().ok());
  REQUIRE(db->Execute("CREATE TABLE t(id INTEGER PRIMARY KEY, x)").ok());
  Statement insert = PrepareOr(
      &*db, "INSERT OR IGNORE INTO t SELECT c0, c1 FROM inquest_rows(?)");
  const std::vector<int64_t> some = {3, -30, 1, 10, 3, 99};
  const std::vector<int64_t> none;
  const std::vector<int64_t> cut = {7, 70, 8};  // the last row lacks a cell
  const int64_t least = std::numeric_limits<int64_t>::min();
  const std::vector<int64_t> more = {least, 5};
  for (const auto& cells : {some, none, cut, more}) {
    CHECK(insert.Run(inquest::IntegerRows{cells, 2}).ok());
  }
  const auto rows = db->QueryTexts("SELECT id || ' ' || x FROM t ORDER BY id");
  REQUIRE(rows.ok());
  CHECK(*rows == std::vector<std::string>{std::to_string(least) + " 5", "1 10",
                                          "3 -30", "7 70"});
}

TEST_CASE("rows that no program bound are none") {
  auto db = Database::OpenMemory();
  REQUIRE(db.ok());
  REQUIRE(db->DefineRows().ok());
  const std::string count = "SELECT count(*) FROM inquest_rows";
  for (const char* argument : {"(12345)", "(NULL)", "('a')"}) {
    const auto rows = db->QueryInt(count + argument);
    REQUIRE(rows.ok());
    CHECK(*rows == 0);
  }
  CHECK_FALSE(db->QueryInt(count).ok());
  // Not for the schema of a trace that a stranger made.
  REQUIRE(db->Execute("CREATE VIEW v AS " + count + "(1)").ok());
  CHECK_FALSE(db->QueryInt("SELECT * FROM v").ok());
}
