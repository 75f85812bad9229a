// SPDX-License-Identifier: Apache-2.0
#include "trace/journal/page_rescue.h"

#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>

namespace inquest::trace {
namespace {

constexpr size_t kRescuedSize = 4096;

struct Entry {
  std::atomic<bool> taken{false};
  std::atomic<bool> valid{false};  // the rest can be read
  SharedPages pages{};
};
std::array<Entry, 48> g_entries;

// One rescue at a time, so that no two threads replace one page. Taken for
// good in a child that was forked in the middle of one.
std::atomic_flag g_busy = ATOMIC_FLAG_INIT;

bool TakeTurn() {
  constexpr int kMostYields = 1'000'000;
  for (int i = 0; i < kMostYields; ++i) {
    if (!g_busy.test_and_set(std::memory_order_acquire)) return true;
    sched_yield();
  }
  return false;
}

// Whether the page can be written to: another thread has replaced it already,
// or there is room again. Unknown, and so false, before Linux 5.14.
bool CanBeWritten(char* page) {
#ifdef MADV_POPULATE_WRITE
  return madvise(page, kRescuedSize, MADV_POPULATE_WRITE) == 0;
#else
  return page == nullptr;
#endif
}

// Pages that nobody prepares are read by other processes as well: with the file
// as long as it was, all go on with the same zeros, and SQLite makes its index
// anew. In memory of our own, others would read an index that never changes.
bool Lengthen(const SharedPages& pages) {
  if (pages.prepare != nullptr || !pages.file.IsIntact()) return false;
  const off_t end = pages.offset + static_cast<off_t>(pages.size);
  struct stat now {};
  return fstat(pages.file.fd(), &now) == 0 && now.st_size < end &&
         ftruncate(pages.file.fd(), end) == 0;
}

// Nobody else writes to the page meanwhile: who tries comes here. The file is
// read, not the page, which is gone if the file was cut.
bool Replace(const SharedPages& pages, char* page) {
  void* fresh = mmap(nullptr, kRescuedSize, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (fresh == MAP_FAILED) return false;
  const off_t offset = pages.offset + (page - pages.begin);
  const bool whole = pages.file.IsIntact() &&
                     pread(pages.file.fd(), fresh, kRescuedSize, offset) ==
                         ssize_t{kRescuedSize};
  if (pages.prepare != nullptr) {
    pages.prepare(pages.owner, static_cast<char*>(fresh), offset, whole);
  }
  if (mremap(fresh, kRescuedSize, kRescuedSize, MREMAP_MAYMOVE | MREMAP_FIXED,
             page) != MAP_FAILED) {
    return true;
  }
  munmap(fresh, kRescuedSize);
  return false;
}

}  // namespace

void LetRescue(const SharedPages& pages) {
  for (Entry& entry : g_entries) {
    if (entry.taken.exchange(true, std::memory_order_acquire)) continue;
    entry.pages = pages;
    entry.valid.store(true, std::memory_order_release);
    return;
  }
}

void LeaveRescue(const void* begin) {
  for (Entry& entry : g_entries) {
    if (!entry.valid.load() || entry.pages.begin != begin) continue;
    entry.valid.store(false);
    entry.taken.store(false, std::memory_order_release);
  }
}

bool RescuePage(void* address) {
  char* const at = static_cast<char*>(address);
  for (const Entry& entry : g_entries) {
    if (!entry.valid.load(std::memory_order_acquire)) continue;
    const SharedPages& pages = entry.pages;
    if (at < pages.begin || at >= pages.begin + pages.size) continue;
    if (!TakeTurn()) return false;
    char* const page = at - reinterpret_cast<uintptr_t>(at) % kRescuedSize;
    // Where there is no room the next write comes here again.
    const bool done =
        CanBeWritten(page) || Lengthen(pages) || Replace(pages, page);
    g_busy.clear(std::memory_order_release);
    return done;
  }
  return false;
}

}  // namespace inquest::trace
