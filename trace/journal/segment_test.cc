// SPDX-License-Identifier: Apache-2.0
#include "trace/journal/segment.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <fstream>
#include <map>
#include <random>
#include <thread>
#include <vector>

#include "tests/catch_compat.h"
#include "trace/journal/journal_reader.h"
#include "trace/testing/temp_dir.h"

namespace inquest::trace {
namespace {

using std::chrono::nanoseconds;

std::unique_ptr<Segment> MakeSegment(const std::string& path,
                                     size_t size = Segment::kSmallestSize) {
  auto segment = Segment::Create(path, size);
  REQUIRE(segment != nullptr);
  segment->Start(segment->slots());
  segment->Rewind();
  return segment;
}

std::vector<std::string> DrainTexts(Segment* journal) {
  std::vector<std::string> out;
  const Segment::Drained done = journal->Drain(
      [&](uint64_t, uint32_t, std::string_view payload) {
        out.emplace_back(payload);
      },
      ~uint64_t{0});
  journal->Recycle(done.next);
  return out;
}

std::vector<std::string> ReadAll(const std::string& path,
                                 JournalReader::Recovered* result = nullptr) {
  auto reader = JournalReader::Open(path);
  REQUIRE(reader.ok());
  std::vector<std::string> out;
  const auto done =
      reader->Recover(0, [&](uint64_t, uint32_t, std::string_view payload) {
        out.emplace_back(payload);
      });
  if (result != nullptr) *result = done;
  return out;
}

void Patch(const std::string& path, uint64_t offset, const void* data,
           size_t size) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(offset));
  file.write(static_cast<const char*>(data), static_cast<long>(size));
}

uint64_t OffsetOf(const Segment& journal, uint64_t ticket) {
  return kJournalHeaderSize + ticket % journal.header().slots * kSlotSize;
}

TEST_CASE("records come back in order, also from the file") {
  TempDir dir;
  auto journal = MakeSegment(dir.File("a.journal"));
  std::vector<std::string> wrote;
  for (int i = 0; i < 300; ++i) {
    wrote.emplace_back(static_cast<size_t>(i), static_cast<char>('a' + i % 26));
    REQUIRE(journal->Append(5, wrote.back(), Full::kDrop) != Segment::kNoRoom);
  }
  CHECK(ReadAll(dir.File("a.journal")) == wrote);
  CHECK(DrainTexts(journal.get()) == wrote);
  CHECK(journal->backlog() == 0);
  CHECK(ReadAll(dir.File("a.journal")).size() == wrote.size());
}

TEST_CASE("the file is private and allocated") {
  TempDir dir;
  auto journal = MakeSegment(dir.File("a.journal"));
  struct stat info {};
  REQUIRE(stat(dir.File("a.journal").c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);
  CHECK(static_cast<uint64_t>(info.st_blocks) * 512 >= journal->size());
}

TEST_CASE("the ring wraps many times with records of every length") {
  TempDir dir;
  auto journal = MakeSegment(dir.File("a.journal"));
  std::mt19937 random(7);
  for (int lap = 0; lap < 400; ++lap) {
    std::vector<std::string> wrote;
    for (int i = 0; i < 60; ++i) {
      wrote.emplace_back(random() % (kMaxPayload / 2), 'x');
      wrote.back() += std::to_string(random());
      REQUIRE(journal->Append(9, wrote.back(), Full::kDrop) !=
              Segment::kNoRoom);
    }
    REQUIRE(DrainTexts(journal.get()) == wrote);
  }
  CHECK(journal->head() > 20 * journal->header().slots);
}

TEST_CASE("a waiting producer goes on when the drain makes room") {
  TempDir dir;
  auto journal = MakeSegment(dir.File("a.journal"));
  while (journal->Append(7, "full", Full::kDrop) != Segment::kNoRoom) {
  }
  std::thread drain([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    DrainTexts(journal.get());
  });
  CHECK(journal->Append(2, "patient", Full::kWait) != Segment::kNoRoom);
  drain.join();
}

TEST_CASE("many producers and a drain: nothing lost, doubled or reordered") {
  TempDir dir;
  auto journal = MakeSegment(dir.File("a.journal"));
  constexpr int kThreads = 4;
  constexpr uint32_t kEach = 20'000;
  std::atomic<int> running{kThreads};
  std::vector<std::thread> producers;
  for (uint32_t t = 0; t < kThreads; ++t) {
    producers.emplace_back([&, t] {
      std::mt19937 random(t);
      for (uint32_t i = 0; i < kEach; ++i) {
        std::string record(8 + random() % 150, static_cast<char>(t));
        std::memcpy(record.data(), &t, 4);
        std::memcpy(record.data() + 4, &i, 4);
        while (journal->Append(3, record, Full::kDrop) == Segment::kNoRoom) {
          std::this_thread::yield();
        }
      }
      --running;
    });
  }
  std::map<uint32_t, uint32_t> next;
  bool in_order = true;
  uint64_t records = 0;
  for (bool last = false; !last;) {
    last = running == 0;
    const Segment::Drained done = journal->Drain(
        [&](uint64_t, uint32_t kind, std::string_view payload) {
          uint32_t thread = 0;
          uint32_t number = 0;
          std::memcpy(&thread, payload.data(), 4);
          std::memcpy(&number, payload.data() + 4, 4);
          in_order = in_order && kind == 3 && number == next[thread]++ &&
                     payload.substr(8).find_first_not_of(
                         static_cast<char>(thread)) == std::string_view::npos;
        },
        1000);
    records += done.records;
    journal->Recycle(done.next);
    if (journal->backlog() > 0) last = false;
  }
  for (std::thread& producer : producers) producer.join();
  CHECK(in_order);
  CHECK(records == uint64_t{kThreads} * kEach);
}

TEST_CASE("torn reservations are skipped, the records after them found") {
  TempDir dir;
  const std::string path = dir.File("a.journal");
  auto journal = MakeSegment(path);
  journal->Append(4, "one", Full::kDrop);
  const uint64_t torn = journal->Append(4, std::string(200, 't'), Full::kDrop);
  journal->Append(4, "two", Full::kDrop);
  const uint64_t bare = journal->Append(4, std::string(100, 'b'), Full::kDrop);
  journal->Append(4, "three", Full::kDrop);
  // As if the first writer had died while copying and the second one before it
  // had noted how much it had reserved.
  const uint64_t reserved = CommitWord(torn, 200, kReservedKind);
  const uint64_t zeros[2 * kSlotSize / 8] = {};
  Patch(path, OffsetOf(*journal, torn), &reserved, sizeof reserved);
  Patch(path, OffsetOf(*journal, bare), zeros, sizeof zeros);
  JournalReader::Recovered result;
  const std::vector<std::string> left = {"one", "two", "three"};
  CHECK(ReadAll(path, &result) == left);
  CHECK(result.torn == 2);
  // The living drain waits for them, and gives up when its patience is over.
  std::vector<std::string> drained;
  const auto visit = [&](uint64_t, uint32_t, std::string_view payload) {
    drained.emplace_back(payload);
  };
  journal->Drain(visit, ~uint64_t{0}, std::chrono::hours(1));
  CHECK(drained == std::vector<std::string>{"one"});
  const auto rest = journal->Drain(visit, ~uint64_t{0}, nanoseconds(0));
  CHECK(drained == left);
  CHECK(rest.torn == 2);
}

TEST_CASE("words of an earlier lap are never mistaken for this one's") {
  TempDir dir;
  const std::string path = dir.File("a.journal");
  auto journal = MakeSegment(path);
  const uint64_t slots = journal->header().slots;
  for (uint64_t i = 0; i < slots; ++i) journal->Append(4, "old", Full::kDrop);
  DrainTexts(journal.get());
  // Reserved in the second lap, never written: head moves, the slots keep the
  // words of the first lap.
  journal->Append(4, "new", Full::kDrop);
  const uint64_t head = journal->head() + 5;
  Patch(path, offsetof(JournalHeader, head), &head, sizeof head);
  auto reader = JournalReader::Open(path);
  REQUIRE(reader.ok());
  std::vector<std::string> found;
  const auto done = reader->Recover(
      journal->header().drained.load(),
      [&](uint64_t, uint32_t, std::string_view p) { found.emplace_back(p); });
  CHECK(found == std::vector<std::string>{"new"});
  CHECK(done.torn == 1);
}

TEST_CASE("a payload over the limit is cut") {
  TempDir dir;
  auto journal = MakeSegment(dir.File("a.journal"));
  journal->Append(4, std::string(kMaxPayload + 1, 'x'), Full::kDrop);
  CHECK(DrainTexts(journal.get())[0].size() == kMaxPayload);
  CHECK(journal->header().cut.load() == 1);
}

TEST_CASE("files that are not journals are refused with a reason") {
  TempDir dir;
  const std::string path = dir.File("a.journal");
  const auto refusal = [&](const std::string& file) {
    auto reader = JournalReader::Open(file);
    REQUIRE_FALSE(reader.ok());
    return reader.status().message();
  };
  REQUIRE_THAT(refusal(path), HasText("No such file"));
  REQUIRE_THAT(refusal(dir.path()), HasText("it is a folder"));
  std::ofstream(path).close();
  REQUIRE_THAT(refusal(path), HasText("is empty"));
  std::ofstream(path) << "GIF89a, surely not ours" << std::string(9000, 'x');
  REQUIRE_THAT(refusal(path), HasText("is not a journal"));
  std::filesystem::remove(path);
  MakeSegment(path).reset();
  std::filesystem::resize_file(path, 1000);
  REQUIRE_THAT(refusal(path), HasText("cut off after 1000 bytes"));
  std::filesystem::remove(path);
  MakeSegment(path).reset();
  const uint32_t version = 9;
  Patch(path, offsetof(JournalHeader, version), &version, sizeof version);
  REQUIRE_THAT(refusal(path), HasText("format 9"));
  REQUIRE_THAT(refusal(path), HasText("up to 2"));
}

TEST_CASE("what is left of a truncated ring can be read") {
  TempDir dir;
  const std::string path = dir.File("a.journal");
  auto journal = MakeSegment(path);
  for (int i = 0; i < 100; ++i) journal->Append(4, "record", Full::kDrop);
  std::filesystem::resize_file(path, kJournalHeaderSize + 50 * kSlotSize + 10);
  journal.reset();
  JournalReader::Recovered result;
  CHECK(ReadAll(path, &result).size() == 50);
  CHECK(result.torn == 1);
}

TEST_CASE("a ring that is read in pieces is read whole") {
  TempDir dir;
  const std::string path = dir.File("a.journal");
  auto journal = MakeSegment(path, 4 * Segment::kSmallestSize);
  std::mt19937_64 random(5);
  std::vector<std::string> written;
  for (int i = 0; i < 600; ++i) {
    written.emplace_back(random() % 3000, static_cast<char>('a' + i % 26));
    REQUIRE(journal->Append(4, written.back(), Full::kWait) < Segment::kNoRoom);
  }
  JournalReader::Recovered result;
  CHECK(ReadAll(path, &result) == written);
  CHECK(result.torn == 0);
  CHECK(result.error == 0);
}

TEST_CASE("random damage never crashes the reader") {
  TempDir dir;
  const std::string path = dir.File("a.journal");
  std::mt19937_64 random(11);
  for (int round = 0; round < 200; ++round) {
    std::filesystem::remove(path);
    auto journal = MakeSegment(path);
    for (int i = 0; i < 50; ++i) {
      journal->Append(4, std::string(random() % 300, 'r'), Full::kDrop);
    }
    for (int i = 0; i < 20; ++i) {
      const uint64_t value = random();
      const bool header = random() % 2 == 0;
      const uint64_t offset =
          header ? random() % 400
                 : kJournalHeaderSize + random() % (200 * kSlotSize);
      Patch(path, header ? offset + 12 : offset, &value,
            1 + random() % sizeof value);
    }
    journal.reset();
    auto reader = JournalReader::Open(path);
    if (!reader.ok()) continue;
    uint64_t bytes = 0;
    reader->Recover(0, [&](uint64_t, uint32_t, std::string_view payload) {
      for (const char c : payload) bytes += static_cast<unsigned char>(c);
    });
    reader->ProcessLife();
  }
}

}  // namespace
}  // namespace inquest::trace
