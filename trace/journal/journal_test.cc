// SPDX-License-Identifier: Apache-2.0
#include "trace/journal/journal.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "tests/catch_compat.h"
#include "trace/journal/journal_reader.h"
#include "trace/journal/page_rescue.h"
#include "trace/journal/process_clock.h"
#include "trace/testing/temp_dir.h"

namespace inquest::trace {
namespace {

constexpr auto kDrop = Full::kDrop;
constexpr auto kWait = Full::kWait;
constexpr auto kKeep = Full::kKeep;
constexpr size_t kSmallest = Segment::kSmallestSize;

std::unique_ptr<Journal> Make(const std::string& path, size_t most = 0) {
  auto journal = Journal::Create(path, kSmallest, most);
  REQUIRE(journal.ok());
  return journal.Take();
}

void Write(Journal* journal, int number, Full full = kDrop) {
  const std::string text = std::to_string(number);
  REQUIRE(journal->Append(5, text, full) != Journal::kDropped);
}

// A batch, as the collector's drain does it.
size_t DrainSome(Journal* journal, std::vector<int>* out,
                 uint64_t limit = ~uint64_t{0}) {
  const Journal::Drained done = journal->Drain(
      [&](uint64_t, uint32_t, std::string_view payload) {
        out->push_back(std::stoi(std::string(payload)));
      },
      limit);
  journal->Recycle(done.next);
  return done.records;
}

std::vector<int> DrainAll(Journal* journal) {
  std::vector<int> out;
  while (DrainSome(journal, &out) > 0) {
  }
  return out;
}

std::vector<int> UpTo(int end) {
  std::vector<int> numbers(end);
  for (int i = 0; i < end; ++i) numbers[i] = i;
  return numbers;
}

bool Exists(const std::string& path) {
  return access(path.c_str(), F_OK) == 0;
}

TEST_CASE("without further room records are dropped and counted by kind") {
  TempDir dir;
  auto journal = Make(dir.File("a.journal"));
  while (journal->Append(7, "full", kDrop) != Journal::kDropped) {
  }
  CHECK(journal->Append(8, "more", kDrop) == Journal::kDropped);
  CHECK(journal->Losses().dropped[7] == 1);
  CHECK(journal->Losses().dropped[8] == 1);
  // What is worth more has some room left.
  while (journal->Append(2, "waits", kWait) != Journal::kDropped) {
  }
  CHECK(journal->Losses().dropped[2] == 1);
  CHECK(journal->waited_ns() >= uint64_t{Journal::kWaitBudgetNs});
  // The waiting budget is spent for good: the next one does not wait again.
  CHECK(journal->Append(2, "no more", kWait) == Journal::kDropped);
  CHECK(journal->Append(3, "a refusal", kKeep) != Journal::kDropped);
}

TEST_CASE("threads that wait at the same time are charged once") {
  TempDir dir;
  auto journal = Make(dir.File("a.journal"));
  while (journal->Append(7, "full", kDrop) != Journal::kDropped) {
  }
  const int64_t begin = inquest::trace::MonotonicNs();
  std::vector<std::thread> waiting;
  for (int i = 0; i < 8; ++i) {
    waiting.emplace_back([&] {
      while (journal->Append(2, "waits", kWait) != Journal::kDropped) {
      }
    });
  }
  for (std::thread& one : waiting) one.join();
  const auto took =
      static_cast<uint64_t>(inquest::trace::MonotonicNs() - begin);
  CHECK(journal->waited_ns() >= uint64_t{Journal::kWaitBudgetNs});
  CHECK(journal->waited_ns() <= took);
}

TEST_CASE("if no file can be made the ring is kept in memory") {
  auto journal = Journal::Create("/proc/no/such/place.journal");
  REQUIRE(journal.ok());
  CHECK_FALSE((*journal)->persistent());
  CHECK((*journal)->why_in_memory() == "No such file or directory");
  Write(journal->get(), 0);
  CHECK(DrainAll(journal->get()) == UpTo(1));
}

TEST_CASE("a limit on file sizes makes a smaller ring, not SIGXFSZ") {
  TempDir dir;
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit small = before;
  small.rlim_cur = 2u << 20;
  REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
  auto journal = Journal::Create(dir.File("a.journal"));
  setrlimit(RLIMIT_FSIZE, &before);
  REQUIRE(journal.ok());
  CHECK((*journal)->persistent());
  CHECK((*journal)->size() <= 2u << 20);
}

TEST_CASE("a journal that fills goes on in a larger segment") {
  TempDir dir;
  const std::string path = dir.File("a.journal");
  auto journal = Make(path, 8u << 20);
  int next = 0;
  for (; next < 2000; ++next) Write(journal.get(), next);
  CHECK_FALSE(Exists(SegmentPath(path, 1)));
  journal->Grow();
  CHECK(Exists(SegmentPath(path, 1)));
  const int first_slots = static_cast<int>(journal->slots());
  for (; next < 3 * first_slots; ++next) Write(journal.get(), next);
  CHECK(journal->slots() == 4u * first_slots);
  CHECK(journal->backlog() >= static_cast<uint64_t>(next));
  CHECK(DrainAll(journal.get()) == UpTo(next));
  // The larger one has taken the name, and the first one is gone.
  CHECK_FALSE(Exists(SegmentPath(path, 1)));
  CHECK(JournalReader::Open(path)->header().slots == 4u * first_slots);
  CHECK(journal->Losses().dropped[5] == 0);
}

TEST_CASE("segments stay within their share and their number") {
  TempDir dir;
  const std::string path = dir.File("a.journal");
  constexpr size_t kMax = 8u << 20;
  auto journal = Make(path, kMax);
  size_t largest = 0;
  for (int i = 0; journal->Append(5, "0", kDrop) != Journal::kDropped; ++i) {
    if (i % 500 == 0) journal->Grow();
    largest = std::max(largest, journal->size());
  }
  CHECK(largest > kMax / 2);
  CHECK(largest <= kMax);
  // Drained and filled again and again, it comes to an end.
  for (int round = 0; round < 20; ++round) {
    DrainAll(journal.get());
    for (int i = 0; journal->Append(5, "0", kDrop) != Journal::kDropped; ++i) {
      if (i % 500 == 0) journal->Grow();
    }
    CHECK(journal->size() <= kMax);
  }
}

TEST_CASE("losses of a drained segment are not forgotten") {
  TempDir dir;
  auto journal = Make(dir.File("a.journal"), 8u << 20);
  while (journal->Append(7, "0", kDrop) != Journal::kDropped) {
  }
  journal->Grow();
  Write(journal.get(), 0);
  Write(journal.get(), 0, kKeep);
  DrainAll(journal.get());
  CHECK(journal->Losses().dropped[7] == 1);
  CHECK(JournalReader::Open(dir.File("a.journal"))->header().dropped[7] == 1);
}

void RescueOrDie(int, siginfo_t* info, void*) {
  if (!RescuePage(info->si_addr)) _exit(9);
}

// While it lives, pages are rescued as the collector does it.
class Rescue {
 public:
  Rescue() {
    struct sigaction rescue {};
    rescue.sa_sigaction = RescueOrDie;
    rescue.sa_flags = SA_SIGINFO;
    REQUIRE(sigaction(SIGBUS, &rescue, &before_) == 0);
  }
  ~Rescue() { sigaction(SIGBUS, &before_, nullptr); }
  Rescue(const Rescue&) = delete;
  Rescue& operator=(const Rescue&) = delete;

 private:
  struct sigaction before_ {};
};

TEST_CASE("a journal whose file was cut goes on in memory") {
  TempDir dir;
  const Rescue rescue;
  for (const off_t left : {off_t{kJournalHeaderSize}, off_t{0}}) {
    const std::string path = dir.File(std::to_string(left));
    auto journal = Make(path, 8u << 20);
    Write(journal.get(), 0);
    CHECK(DrainAll(journal.get()) == UpTo(1));
    REQUIRE(truncate(path.c_str(), left) == 0);
    // A header that is lost takes nothing until the drain has looked at it.
    (void)journal->Append(5, "1", kDrop);
    journal->Grow();
    CHECK_FALSE(journal->persistent());
    CHECK(journal->is_spoiled());
    Write(journal.get(), 2);
    std::vector<int> out;
    DrainSome(journal.get(), &out);
    DrainSome(journal.get(), &out);
    CHECK(out == (left == 0 ? std::vector<int>{2} : std::vector<int>{1, 2}));
    CHECK_FALSE(Exists(path));
  }
}

TEST_CASE("pages that others read come back with their file's length") {
  TempDir dir;
  const Rescue rescue;
  constexpr size_t kSize = 32 << 10;
  const std::string path = dir.File("a-shm");
  OwnFile file(OpenOwn(path.c_str(), O_RDWR | O_CREAT, 0600));
  REQUIRE(ftruncate(file.fd(), kSize) == 0);
  void* mapped =
      mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_SHARED, file.fd(), 0);
  REQUIRE(mapped != MAP_FAILED);
  LetRescue({static_cast<char*>(mapped), kSize, file, 0, nullptr, nullptr});
  REQUIRE(truncate(path.c_str(), 0) == 0);
  auto* const bytes = static_cast<volatile char*>(mapped);
  bytes[5000] = 'x';
  char read = 0;
  CHECK(pread(file.fd(), &read, 1, 5000) == 1);
  CHECK(read == 'x');
  LeaveRescue(mapped);
  munmap(mapped, kSize);
  file.Close();
}

TEST_CASE("threads append while segments come and go; each keeps its order") {
  TempDir dir;
  auto journal = Make(dir.File("a.journal"), 64u << 20);
  constexpr int kThreads = 4;
  constexpr int kEach = 40'000;
  std::atomic<int> running{kThreads};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kEach; ++i) {
        const std::string text = std::to_string(i * kThreads + t);
        journal->Append(5, text, kWait);
      }
      --running;
    });
  }
  std::vector<int> seen;
  while (running.load() > 0 || journal->backlog() > 0) {
    journal->Grow();
    DrainSome(journal.get(), &seen, 2000);
  }
  for (std::thread& thread : threads) thread.join();
  DrainSome(journal.get(), &seen);
  CHECK(journal->Losses().dropped[5] == 0);
  REQUIRE(seen.size() == size_t{kThreads} * kEach);
  std::vector<int> next(kThreads);
  bool in_order = true;
  for (const int number : seen) {
    in_order &= number / kThreads == next[number % kThreads]++;
  }
  CHECK(in_order);
}

}  // namespace
}  // namespace inquest::trace
