// SPDX-License-Identifier: Apache-2.0
// Which errors a run survived, told by what its log says afterwards.
#include "analyzer/facts/derive/ending.h"

#include <fmt/format.h>

#include "base/text.h"
#include "tests/catch_compat.h"

namespace inquest::facts {
namespace {

// A log as a string of roles: c cause, v a cause of
// start-up (a missing library), s symptom, p progress, h progress that says
// that the error was handled, f finish, o the orderly end
// of a server, b a benign signature on the line of the
// event before it, l the start of a launcher, 1 and 2 the scheduler's word that
// it ended the job of this number.
struct Outcome {
  std::string survived;  // ids of the errors that were
  bool died = false;
};

const char* RoleOf(char letter) {
  switch (letter) {
    case 'c':
    case 'v':
      return "cause";
    case '1':
    case '2':
      return "cause";
    case 's':
      return "symptom";
    case 'l':
      return "context";
    case 'p':
    case 'h':
      return "progress";
    case 'f':
    case 'o':
      return "finish";
    default:
      return "benign";
  }
}

const char* CauseOf(char letter) {
  if (letter == 'v') return "version/library-missing";
  return IsDigit(letter) ? "process/preempted" : "unknown";
}

std::string FiguresOf(char letter) {
  if (letter == 'h') return R"({"handled": 1})";
  if (letter == 'l') return R"({"launch": 1})";
  if (letter == 'o') return R"({"orderly": 1})";
  return IsDigit(letter) ? fmt::format(R"({{"job": "{}"}})", letter) : "{}";
}

Outcome Judge(const std::string& log, const std::string& run = "") {
  auto store = Store::Create();
  REQUIRE(store.ok());
  int line = 0;
  for (const char letter : log) {
    if (letter != 'b') ++line;
    REQUIRE(
        store->db()
            .Execute(fmt::format(
                "INSERT INTO store_log_event (signature, role, cause, "
                "severity, source, path, line, offset, time_error, text, "
                "figures) "
                "VALUES ('s', '{}', '{}', 'error', 1, 'a.log', {}, 0, 0, '', "
                "'{}')",
                RoleOf(letter), CauseOf(letter), line, FiguresOf(letter)))
            .ok());
  }
  if (!run.empty()) {
    REQUIRE(store->db()
                .Execute("INSERT INTO store_run (directory, end_time, "
                         "exit_code) VALUES ('d', 1, " +
                         run + ")")
                .ok());
  }
  REQUIRE(store->DefineFacts().ok());
  REQUIRE(DecideEnding(&*store).ok());
  Outcome outcome;
  auto row = store->db().Prepare(
      "SELECT coalesce(group_concat(id), '') FROM log_event WHERE survived");
  REQUIRE(row.ok());
  REQUIRE(row->Step());
  outcome.survived = row->Text(0);
  auto died = store->db().QueryInt("SELECT died FROM ending");
  REQUIRE(died.ok());
  outcome.died = *died != 0;
  return outcome;
}

TEST_CASE("an error at the end kills") {
  CHECK(Judge("pppc").died);
  CHECK(Judge("pppc").survived.empty());
  CHECK(Judge("cpp").died);  // two signs of progress prove nothing
}

TEST_CASE("an error followed by work was survived") {
  CHECK(Judge("cppp").survived == "1");
  CHECK_FALSE(Judge("cppp").died);
  CHECK(Judge("cf").survived == "1");
  CHECK(Judge("cpppc").survived == "1");
  CHECK(Judge("pfs").survived == "3");  // a traceback of the teardown
  CHECK(Judge("pfc").died);
  CHECK(Judge("cpppc").died);
}

TEST_CASE("a server that ends in order proves nothing of what failed before") {
  CHECK(Judge("vo").died);
  CHECK(Judge("pvo").survived.empty());
  CHECK(Judge("so").survived == "1");  // a request that could not be served
  CHECK_FALSE(Judge("so").died);
  CHECK(Judge("vso").survived == "2");
  CHECK_FALSE(Judge("pvpppo").died);
}

TEST_CASE("errors in a row are judged together") {
  CHECK(Judge("cscppp").survived == "1,2,3");
  CHECK(Judge("cppspp").survived.empty());
}

TEST_CASE("a step shows that the program does without the GPU") {
  CHECK(Judge("vp").survived == "1");
  CHECK(Judge("vvp").survived == "1,2");
  CHECK(Judge("vcp").died);   // the other error asks for more
  CHECK(Judge("pvp").died);   // steps of before may still be printed
  CHECK(Judge("vpvp").died);  // lost on the way
}

TEST_CASE("an error that the program says it handled was survived") {
  CHECK(Judge("pch").survived == "2");
  CHECK(Judge("chch").survived == "1,3");
  CHECK(Judge("chc").survived.empty());  // what came next may come of it
  CHECK(Judge("chs").died);
  CHECK(Judge("hc").died);
}

TEST_CASE("a benign signature speaks for its line") {
  CHECK(Judge("cb").survived == "1");
  CHECK_FALSE(Judge("cb").died);
  CHECK(Judge("cbc").died);
}

TEST_CASE("errors of a job before the last one are history") {
  CHECK(Judge("pc1ps2").survived == "2,3");
  CHECK(Judge("pc1ps2").died);
  CHECK(Judge("pc1lpp").survived == "2,3");
  CHECK_FALSE(Judge("pc1lpp").died);
  CHECK(Judge("pc1lps").died);
  CHECK(Judge("p1f").survived == "2");
  CHECK(Judge("p1ppp").died);  // steps of its grace time
  CHECK(Judge("p1p1").survived.empty());
  CHECK(Judge("p1" + std::string(100, 'p')).survived == "2");
}

TEST_CASE("the run's own exit status decides") {
  CHECK_FALSE(Judge("pc", "0").died);
  CHECK(Judge("ppp", "1").died);
}

TEST_CASE("an empty log is no death") {
  CHECK_FALSE(Judge("").died);
}

}  // namespace
}  // namespace inquest::facts
