// SPDX-License-Identifier: Apache-2.0
// Kills a process with SIGKILL at random moments while its threads write, and
// checks that no record is missing that it had acknowledged before.
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "tests/catch_compat.h"
#include "trace/journal/journal.h"
#include "trace/journal/journal_reader.h"
#include "trace/testing/temp_dir.h"

namespace inquest::trace {
namespace {

constexpr int kThreads = 3;

// Shared with the child: how many of its records each thread knows to be
// written.
struct Acknowledged {
  std::atomic<uint32_t> count[kThreads];
  std::atomic<uint32_t> drained[kThreads];
};

// Writes until it is killed. The ring is small and its "drain" notes what it
// read before it recycles, as the real one first commits to SQLite.
[[noreturn]] void RunChild(const std::string& path, Acknowledged* shared) {
  auto journal = Journal::Create(path, Segment::kSmallestSize);
  if (!journal.ok()) _exit(3);
  Journal* ring = journal->get();
  for (uint32_t t = 0; t < kThreads; ++t) {
    std::thread([ring, shared, t] {
      std::mt19937 random(t);
      for (uint32_t i = 1;; ++i) {
        std::string record(8 + random() % 180, 'r');
        std::memcpy(record.data(), &t, 4);
        std::memcpy(record.data() + 4, &i, 4);
        while (ring->Append(2, record, Journal::Full::kDrop) ==
               Journal::kDropped) {
          std::this_thread::yield();
        }
        shared->count[t].store(i);
      }
    }).detach();
  }
  for (;;) {
    uint32_t seen[kThreads] = {};
    const Journal::Drained done = ring->Drain(
        [&](uint64_t, uint32_t, std::string_view payload) {
          uint32_t thread = 0;
          std::memcpy(&thread, payload.data(), 4);
          std::memcpy(&seen[thread], payload.data() + 4, 4);
        },
        500);
    for (int t = 0; t < kThreads; ++t) {
      if (seen[t] != 0) shared->drained[t].store(seen[t]);
    }
    ring->Recycle(done.next);
  }
}

void CheckRound(const std::string& path, const Acknowledged& shared) {
  auto reader = JournalReader::Open(path);
  REQUIRE(reader.ok());
  CHECK(reader->ProcessLife() == JournalReader::Life::kDead);
  std::vector<uint32_t> next(kThreads);
  std::vector<uint32_t> last(kThreads);
  bool in_order = true;
  reader->Recover(reader->header().drained.load(),
                  [&](uint64_t, uint32_t, std::string_view payload) {
                    uint32_t thread = 0;
                    uint32_t number = 0;
                    std::memcpy(&thread, payload.data(), 4);
                    std::memcpy(&number, payload.data() + 4, 4);
                    in_order = in_order && thread < kThreads &&
                               (next[thread] == 0 || number == next[thread]);
                    if (!in_order) return;
                    if (next[thread] == 0)
                      CHECK(number <= shared.drained[thread] + 1);
                    next[thread] = number + 1;
                    last[thread] = number;
                  });
  CHECK(in_order);
  for (int t = 0; t < kThreads; ++t) {
    CHECK(std::max(last[t], shared.drained[t].load()) >= shared.count[t]);
  }
}

TEST_CASE("after SIGKILL no acknowledged record is missing") {
  void* memory = mmap(nullptr, sizeof(Acknowledged), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  std::mt19937 random(std::random_device{}());
  const char* wanted = std::getenv("INQUEST_KILL_ROUNDS");
  const int rounds = wanted != nullptr ? std::atoi(wanted) : 60;
  for (int round = 0; round < rounds; ++round) {
    TempDir dir;
    auto* shared = new (memory) Acknowledged{};
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) RunChild(dir.File("k.journal"), shared);
    while (shared->count[0] == 0) usleep(100);
    usleep(random() % 20'000);
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    REQUIRE(WIFSIGNALED(status));
    CheckRound(dir.File("k.journal"), *shared);
  }
  munmap(memory, sizeof(Acknowledged));
}

// The second process has the first one's lock and nothing else of it.
[[noreturn]] void LeaveLockToAnother(const std::string& path, int tell) {
  auto journal = Journal::Create(path, Segment::kSmallestSize);
  const pid_t heir = journal.ok() ? fork() : -1;
  if (heir == 0) pause();
  [[maybe_unused]] const ssize_t n = write(tell, &heir, sizeof heir);
  _exit(0);
}

JournalReader::Life LifeOf(const std::string& path) {
  auto reader = JournalReader::Open(path);
  REQUIRE(reader.ok());
  return reader->ProcessLife();
}

TEST_CASE("a process is not dead while its lock is held") {
  TempDir dir;
  const std::string path = dir.File("k.journal");
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) LeaveLockToAnother(path, ends[1]);
  pid_t heir = -1;
  REQUIRE(read(ends[0], &heir, sizeof heir) == sizeof heir);
  REQUIRE(heir > 0);
  waitpid(child, nullptr, 0);
  CHECK(LifeOf(path) == JournalReader::Life::kUnknown);
  kill(heir, SIGKILL);
  for (int i = 0; i < 1000 && LifeOf(path) != JournalReader::Life::kDead; ++i) {
    usleep(10'000);
  }
  CHECK(LifeOf(path) == JournalReader::Life::kDead);
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace inquest::trace
