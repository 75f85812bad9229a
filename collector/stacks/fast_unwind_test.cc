// SPDX-License-Identifier: Apache-2.0
// The fast unwinder against the compiler's, on stacks of many shapes: they must
// agree frame by frame, or the fast one must report that it gave up.
#include "collector/stacks/fast_unwind.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <ucontext.h>
#include <unwind.h>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "tests/catch_compat.h"

namespace inquest::collector {
namespace {

struct Compared {
  bool fast = false;  // did not give up
  bool equal = false;
  uint32_t frames = 0;
};
Compared g_last;

_Unwind_Reason_Code Add(_Unwind_Context* context, void* out) {
  auto* record = static_cast<trace::StackRecord*>(out);
  const uintptr_t address = _Unwind_GetIP(context);
  if (address == 0) return _URC_END_OF_STACK;
  record->frames[record->count++] = address;
  return record->count < trace::kMaxFrames ? _URC_NO_REASON : _URC_END_OF_STACK;
}

StackBounds AskForBounds() {
  pthread_attr_t attributes;
  void* begin = nullptr;
  size_t size = 0;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstack(&attributes, &begin, &size);
  pthread_attr_destroy(&attributes);
  const auto at = reinterpret_cast<uintptr_t>(begin);
  return {at, at + size};
}

// Once per thread: it opens a file, which a signal handler must not do.
StackBounds Bounds() {
  thread_local const StackBounds bounds = AskForBounds();
  return bounds;
}

// The two calls are at different places in this function, so its own frame, the
// first of both, is left out of the comparison.
[[gnu::noinline]] void Compare() {
  trace::StackRecord fast;
  trace::StackRecord slow;
  const StackBounds bounds = Bounds();
  g_last.fast = UnwindFast({}, bounds, &fast);
  _Unwind_Backtrace(Add, &slow);
  g_last.frames = fast.count;
  g_last.equal = fast.count == slow.count;
  for (uint32_t i = 1; i < fast.count && g_last.equal; ++i) {
    g_last.equal = fast.frames[i] == slow.frames[i];
  }
}

void CheckEqual(uint32_t least_frames = 3) {
  CHECK(g_last.fast);
  CHECK(g_last.equal);
  CHECK(g_last.frames >= least_frames);
}

[[gnu::noinline]] int Deep(int depth) {
  if (depth == 0) {
    Compare();
    return 0;
  }
  const volatile int below = Deep(depth - 1);
  return below + 1;
}

TEST_CASE("a few calls and more than are kept") {
  Deep(0);
  CheckEqual();
  Deep(10);
  CheckEqual(13);
  Deep(200);
  CheckEqual(trace::kMaxFrames);
}

// The stack pointer moves by a variable amount here.
[[gnu::noinline]] void Variable(size_t size) {
  auto* volatile room = static_cast<char*>(__builtin_alloca(size));
  room[0] = 1;
  Deep(2);
  room[size - 1] = 1;
}

TEST_CASE("functions whose frames have no fixed size") {
  for (const size_t size : {16, 100, 4096, 60000}) {
    Variable(size);
    CheckEqual();
  }
}

[[gnu::noinline, gnu::optimize("no-omit-frame-pointer")]] void WithPointer() {
  Deep(1);
}

TEST_CASE("functions with a frame pointer between those without") {
  WithPointer();
  CheckEqual();
}

[[gnu::noinline]] void Aligned(int depth) {
  alignas(64) volatile char room[256];
  room[0] = static_cast<char>(depth);
  Deep(depth);
  room[1] = room[0];
}

TEST_CASE("a realigned stack is unwound rightly or not at all") {
  Aligned(3);
  CHECK((!g_last.fast || g_last.equal));
}

int Order(const void*, const void*) {
  Compare();
  return 0;
}

TEST_CASE("through the C library and through closures") {
  int numbers[2] = {2, 1};
  std::qsort(numbers, 2, sizeof numbers[0], Order);
  CheckEqual();
  const std::function<void(int)> closure = [&](int n) {
    if (n > 0) return closure(n - 1);
    Compare();
  };
  closure(5);
  CheckEqual();
}

TEST_CASE("threads, each with a stack of its own") {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([] {
      for (int n = 0; n < 200; ++n) {
        trace::StackRecord record;
        UnwindFast({}, Bounds(), &record);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::thread([] { Deep(4); }).join();
  CheckEqual();
}

TEST_CASE("while an exception is under way") {
  struct Last {
    ~Last() { Compare(); }
  };
  try {
    const Last last;
    throw 1;
  } catch (int) {
  }
  CHECK((!g_last.fast || g_last.equal));
}

void OnSignal(int) {
  Compare();
}

TEST_CASE("a signal's frame is not an ordinary one") {
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = OnSignal;
  sigaction(SIGUSR1, &action, &before);
  REQUIRE(Bounds().end != 0);
  raise(SIGUSR1);
  sigaction(SIGUSR1, &before, nullptr);
  CHECK_FALSE(g_last.fast);
}

void OnOtherStack() {
  Compare();
}

TEST_CASE("another stack than the thread's own is left alone") {
  std::string room(256 << 10, '\0');
  ucontext_t here;
  ucontext_t there;
  getcontext(&there);
  there.uc_stack.ss_sp = room.data();
  there.uc_stack.ss_size = room.size();
  there.uc_link = &here;
  makecontext(&there, OnOtherStack, 0);
  swapcontext(&here, &there);
  CHECK_FALSE(g_last.fast);
}

TEST_CASE("libraries that come and go") {
  for (int i = 0; i < 20; ++i) {
    void* library = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return;
    Deep(i);
    CheckEqual();
    dlclose(library);
    Deep(i);
    CheckEqual();
  }
}

TEST_CASE("frames of a given range are left out") {
  trace::StackRecord all;
  trace::StackRecord none;
  REQUIRE(UnwindFast({}, Bounds(), &all));
  REQUIRE(UnwindFast({0, UINTPTR_MAX}, Bounds(), &none));
  CHECK(all.count > 0);
  CHECK(none.count == 0);
}

}  // namespace
}  // namespace inquest::collector
