// SPDX-License-Identifier: Apache-2.0
#include "trace/store/finish.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <limits>
#include <thread>

#include "tests/catch_compat.h"
#include "trace/journal/journal.h"
#include "trace/records/event.h"
#include "trace/store/trace_writer.h"
#include "trace/testing/temp_dir.h"

namespace inquest::trace {
namespace {

constexpr uint64_t kNoLimit = std::numeric_limits<uint64_t>::max();

void Note(Journal* journal, int number) {
  Encoder encoder;
  const std::string text = std::to_string(number);
  MessageRecord{number, "collector", "info", text}.Fields(encoder);
  journal->Append(static_cast<uint32_t>(RecordKind::kMessage), encoder.bytes(),
                  Journal::Full::kDrop);
}

// A process that writes 100 messages, stores the first `stored` of them as the
// collector does, and is killed.
void LeaveJournal(const std::string& stem, int stored, bool recycle = true) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    auto journal = Journal::Create(stem + std::string(kJournalSuffix));
    if (!journal.ok()) _exit(1);
    for (int i = 0; i < stored; ++i) Note(journal->get(), i);
    if (stored > 0) {
      auto writer =
          TraceWriter::Open(stem + std::string(kTraceSuffix), kNoLimit);
      Status status = writer->Begin();
      const auto done = (*journal)->Drain(
          [&](uint64_t ticket, uint32_t kind, std::string_view payload) {
            writer->Add(ticket, kind, payload);
          },
          kNoLimit);
      if (!writer->Commit(done.next).ok()) _exit(1);
      if (recycle) (*journal)->Recycle(done.next);
      for (int i = stored; i < 100; ++i) Note(journal->get(), i);
      kill(getpid(), SIGKILL);
    }
    for (int i = 0; i < 100; ++i) Note(journal->get(), i);
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  REQUIRE(WIFSIGNALED(status));
}

// A process that is stopped when SQLite has changed part of the file in place,
// as the last step does, and that leaves the rollback journal behind.
void CutShort(const std::string& trace) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    auto db = Database::Open(trace, Database::Mode::kReadWrite);
    const bool begun = db.ok() &&
                       db->Execute("PRAGMA journal_mode=DELETE").ok() &&
                       db->Execute("PRAGMA cache_size=1").ok() &&
                       db->Execute("BEGIN IMMEDIATE").ok() &&
                       db->Execute(
                             "UPDATE message SET text='half done' || "
                             "hex(zeroblob(4000))")
                           .ok();
    if (!begun) _exit(1);
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  REQUIRE(WIFSIGNALED(status));
  REQUIRE(std::filesystem::file_size(trace + "-journal") > 512);
}

int64_t Query(const std::string& path, const std::string& sql) {
  auto db = Database::Open(path, Database::Mode::kReadOnly);
  REQUIRE(db.ok());
  auto value = db->QueryInt(sql);
  REQUIRE(value.ok());
  return *value;
}

void CheckWhole(const std::string& trace) {
  CHECK(Query(trace, "SELECT count(*) FROM message") == 100);
  CHECK(Query(trace, "SELECT count(DISTINCT text) FROM message") == 100);
  CHECK(Query(trace,
              "SELECT value='analyzer' FROM meta WHERE "
              "key='finished_by'") == 1);
  CHECK(Query(trace, "SELECT value FROM meta WHERE key='clean_end'") == 0);
}

TEST_CASE("the journal's records move into the trace, once") {
  for (const int stored : {0, 1, 60, 100}) {
    for (const bool recycle : {true, false}) {
      TempDir dir;
      const std::string trace = dir.File("p" + std::string(kTraceSuffix));
      LeaveJournal(dir.File("p"), stored, recycle);
      auto result = FinishTrace(trace);
      INFO(result.status().message());
      REQUIRE(result.ok());
      CHECK(result->had_journal);
      CHECK_FALSE(result->process_alive);
      CHECK_FALSE(result->clean_end);
      CHECK(result->recovered == static_cast<uint64_t>(100 - stored));
      CheckWhole(trace);
      auto again = FinishTrace(trace);
      REQUIRE(again.ok());
      CHECK_FALSE(again->had_journal);
      CHECK(again->recovered == 0);
      CheckWhole(trace);
      CHECK_FALSE(std::filesystem::exists(trace + "-wal"));
    }
  }
}

TEST_CASE("two callers at once do it once") {
  TempDir dir;
  const std::string trace = dir.File("p" + std::string(kTraceSuffix));
  LeaveJournal(dir.File("p"), 50);
  std::thread other([&] { CHECK(FinishTrace(trace).ok()); });
  CHECK(FinishTrace(trace).ok());
  other.join();
  CheckWhole(trace);
}

TEST_CASE("an interrupted change of the file itself is rolled back") {
  TempDir dir;
  const std::string trace = dir.File("p" + std::string(kTraceSuffix));
  LeaveJournal(dir.File("p"), 50);
  REQUIRE(FinishTrace(trace).ok());
  CutShort(trace);
  {
    auto db = Database::Open(trace, Database::Mode::kReadOnly);
    CHECK_FALSE(db->QueryInt("SELECT count(*) FROM message").ok());
  }
  std::thread other([&] { CHECK(FinishTrace(trace).ok()); });
  CHECK(FinishTrace(trace).ok());
  other.join();
  CheckWhole(trace);
  CHECK_FALSE(std::filesystem::exists(trace + "-journal"));
}

TEST_CASE("a living process is left alone") {
  TempDir dir;
  const std::string trace = dir.File("p" + std::string(kTraceSuffix));
  auto journal = Journal::Create(dir.File("p" + std::string(kJournalSuffix)));
  REQUIRE(journal.ok());
  Note(journal->get(), 1);
  auto result = FinishTrace(trace);
  REQUIRE(result.ok());
  CHECK(result->process_alive);
  CHECK(result->nothing_yet);
  CHECK(result->recovered == 0);
  CHECK(std::filesystem::exists(dir.File("p" + std::string(kJournalSuffix))));
}

// A reader in another PID namespace takes a process that was killed just now
// for one that lives, and may not write to what it reads.
TEST_CASE(
    "an interrupted change is rolled back in a copy while it seems alive") {
  TempDir dir;
  const std::string trace = dir.File("p" + std::string(kTraceSuffix));
  LeaveJournal(dir.File("p"), 50);
  REQUIRE(FinishTrace(trace).ok());
  auto live = Journal::Create(dir.File("p" + std::string(kJournalSuffix)));
  REQUIRE(live.ok());
  CutShort(trace);
  auto result = FinishTrace(trace);
  INFO(result.status().message());
  REQUIRE(result.ok());
  CHECK(result->process_alive);
  CHECK_FALSE(result->nothing_yet);
  REQUIRE(result->copy != nullptr);
  CheckWhole(result->copy->trace_path());
  CHECK(std::filesystem::exists(trace + "-journal"));
}

TEST_CASE("empty and foreign files are refused and kept") {
  TempDir dir;
  const std::string trace = dir.File("p" + std::string(kTraceSuffix));
  const std::string journal = dir.File("p" + std::string(kJournalSuffix));
  CHECK_FALSE(FinishTrace(trace).ok());
  std::ofstream(journal).close();
  auto empty = FinishTrace(trace);
  REQUIRE_FALSE(empty.ok());
  CHECK(empty.status().code() == StatusCode::kUnreadable);
  CHECK(std::filesystem::exists(journal));
  CHECK_FALSE(std::filesystem::exists(trace));
  // If the trace is good, a bad journal only means that the end is missing.
  std::filesystem::remove(journal);
  LeaveJournal(dir.File("p"), 100);
  std::ofstream(journal, std::ios::trunc).close();
  auto beside = FinishTrace(trace);
  REQUIRE_FALSE(beside.ok());
  CHECK(beside.status().code() == StatusCode::kIncomplete);
  CHECK(Query(trace, "SELECT count(*) FROM message") == 100);
}

TEST_CASE("a trace of a newer schema keeps its journal") {
  TempDir dir;
  const std::string trace = dir.File("p" + std::string(kTraceSuffix));
  LeaveJournal(dir.File("p"), 50);
  {
    auto db = Database::Open(trace, Database::Mode::kReadWrite);
    REQUIRE(db->Execute("PRAGMA user_version=2").ok());
  }
  auto result = FinishTrace(trace);
  REQUIRE_FALSE(result.ok());
  REQUIRE_THAT(result.status().message(), HasText("schema 2"));
  REQUIRE_THAT(result.status().message(), HasText("up to 1"));
  CHECK(std::filesystem::exists(dir.File("p" + std::string(kJournalSuffix))));
}

// A second name makes a file shared with someone else's directory.
void Share(const TempDir& dir, const std::string& path) {
  std::filesystem::create_hard_link(path, dir.File("second name"));
}

std::string Bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_CASE("a run that is not ours alone is finished in a copy") {
  TempDir dir;
  const std::string trace = dir.File("p" + std::string(kTraceSuffix));
  const std::string journal = dir.File("p" + std::string(kJournalSuffix));
  LeaveJournal(dir.File("p"), 50);
  Share(dir, journal);
  const std::string before = Bytes(trace) + Bytes(journal);
  std::string copied;
  {
    auto result = FinishTrace(trace);
    INFO(result.status().message());
    REQUIRE(result.ok());
    REQUIRE(result->copy != nullptr);
    copied = result->copy->trace_path();
    CHECK(copied != trace);
    CHECK(result->recovered == 50);
    CheckWhole(copied);
  }
  CHECK(Bytes(trace) + Bytes(journal) == before);
  CHECK_FALSE(
      std::filesystem::exists(std::filesystem::path(copied).parent_path()));
}

TEST_CASE("a copy of a trace that is being written has what was stored") {
  TempDir dir;
  const std::string trace = dir.File("p" + std::string(kTraceSuffix));
  const std::string journal = dir.File("p" + std::string(kJournalSuffix));
  auto live = Journal::Create(journal);
  REQUIRE(live.ok());
  auto writer = TraceWriter::Open(trace, kNoLimit);
  REQUIRE(writer.ok());
  for (int i = 0; i < 30; ++i) Note(live->get(), i);
  REQUIRE(writer->Begin().ok());
  const auto done = (*live)->Drain(
      [&](uint64_t ticket, uint32_t kind, std::string_view payload) {
        writer->Add(ticket, kind, payload);
      },
      kNoLimit);
  REQUIRE(writer->Commit(done.next).ok());
  REQUIRE(std::filesystem::file_size(trace + "-wal") > 0);
  Share(dir, journal);
  auto result = FinishTrace(trace);
  INFO(result.status().message());
  REQUIRE(result.ok());
  CHECK(result->process_alive);
  REQUIRE(result->copy != nullptr);
  CHECK(Query(result->copy->trace_path(), "SELECT count(*) FROM message") ==
        30);
}

TEST_CASE("nothing is written through a link that lies in the run") {
  for (const std::string_view suffix : {kTraceSuffix, kJournalSuffix}) {
    TempDir dir;
    LeaveJournal(dir.File("p"), 50);
    const std::string planted = dir.File("p" + std::string(suffix));
    const std::string secret = dir.File("secret");
    std::filesystem::rename(planted, secret);
    const std::string before = Bytes(secret);
    std::filesystem::create_symlink(secret, planted);
    auto result = FinishTrace(dir.File("p" + std::string(kTraceSuffix)));
    REQUIRE_FALSE(result.ok());
    CHECK_THAT(result.status().message(), HasText("it is a symbolic link"));
    CHECK(Bytes(secret) == before);
  }
}

TEST_CASE("a database is not made through a dangling link") {
  TempDir dir;
  const std::string target = dir.File("target");
  std::filesystem::create_symlink(target, dir.File("link"));
  auto db = Database::Open(dir.File("link"), Database::Mode::kCreate);
  REQUIRE_FALSE(db.ok());
  CHECK_THAT(db.status().message(), HasText("symbolic link"));
  CHECK_FALSE(std::filesystem::exists(target));
  // In the middle of the path a link is no trap: homes are reached through one.
  TempDir real;
  std::filesystem::create_symlink(real.path(), dir.File("home"));
  CHECK(Database::Open(dir.File("home/db"), Database::Mode::kCreate).ok());
}

TEST_CASE("a rollback journal that names a further file is refused") {
  TempDir dir;
  const std::string trace = dir.File("p" + std::string(kTraceSuffix));
  LeaveJournal(dir.File("p"), 50);
  REQUIRE(FinishTrace(trace).ok());
  CutShort(trace);
  std::ofstream(trace + "-journal", std::ios::app | std::ios::binary)
      << "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
  auto result = FinishTrace(trace);
  REQUIRE_FALSE(result.ok());
  CHECK_THAT(result.status().message(), HasText("SQLite would delete"));
}

TEST_CASE("a trace that runs code of its own is not added to") {
  for (const std::string sql :
       {"CREATE TRIGGER t AFTER INSERT ON message BEGIN SELECT 1; END",
        "DROP TABLE loss; CREATE VIEW loss AS SELECT 1 AS kind",
        "CREATE INDEX i ON message(length(text))",
        "ALTER TABLE message ADD COLUMN x AS (length(text))"}) {
    TempDir dir;
    const std::string trace = dir.File("p" + std::string(kTraceSuffix));
    LeaveJournal(dir.File("p"), 50);
    {
      auto db = Database::Open(trace, Database::Mode::kReadWrite);
      REQUIRE(db->Execute(sql).ok());
    }
    auto result = FinishTrace(trace);
    INFO(sql);
    REQUIRE_FALSE(result.ok());
    CHECK(result.status().code() == StatusCode::kUnreadable);
    CHECK_THAT(result.status().message(), HasText("plain tables"));
  }
}

}  // namespace
}  // namespace inquest::trace
