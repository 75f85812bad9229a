// SPDX-License-Identifier: Apache-2.0
#include "collector/stacks/fast_unwind.h"

#include <atomic>

#include "collector/stacks/frame_rules.h"

namespace inquest::collector {
namespace {

// A rule in one word: 24 bits of CFA offset, 16 of rbp's in units of 8 bytes,
// 16 of the unload count under which it was found, and flags. A rule with
// offsets that do not fit is unusable.
enum Flag : uint64_t { kUsable = 1, kOutermost = 2, kFromRbp = 4, kSaves = 8 };

uint64_t Pack(const FrameRule& rule, uint64_t unloads) {
  const int64_t cfa = rule.cfa_offset;
  const int64_t rbp = rule.rbp_offset / 8;
  const bool fits = cfa >= -(1 << 23) && cfa < 1 << 23 && rbp >= -(1 << 15) &&
                    rbp < 1 << 15 && rule.rbp_offset % 8 == 0;
  uint64_t word = static_cast<uint64_t>(cfa) << 40;
  word |= (static_cast<uint64_t>(rbp) & 0xffff) << 24;
  word |= (unloads & 0xffff) << 8;
  if (rule.usable && fits) word |= kUsable;
  if (rule.outermost) word |= kOutermost;
  if (rule.from_rbp) word |= kFromRbp;
  if (rule.saves_rbp) word |= kSaves;
  return word;
}

int64_t CfaOffset(uint64_t word) {
  return static_cast<int64_t>(word) >> 40;
}
int64_t RbpOffset(uint64_t word) {
  return int64_t{static_cast<int16_t>(word >> 24)} * 8;
}
bool IsOf(uint64_t word, uint64_t unloads) {
  return (word >> 8 & 0xffff) == (unloads & 0xffff);
}

// Written without a lock: a key is stored exclusive-or'd with its rule, so a
// torn pair matches no place (R. Hyatt and T. Mann, "A lockless transposition
// table", ICGA Journal 25, 2002).
struct Entry {
  std::atomic<uint64_t> check{0};
  std::atomic<uint64_t> word{0};
};
constexpr size_t kEntries = 1u << 13;
constinit Entry g_rules[kEntries];

uint64_t RuleFor(uintptr_t place, uint64_t unloads) {
  Entry& entry = g_rules[(place * 0x9e3779b97f4a7c15u) >> 51];
  const uint64_t word = entry.word.load(std::memory_order_relaxed);
  const uint64_t check = entry.check.load(std::memory_order_relaxed);
  if ((check ^ word) == place && IsOf(word, unloads)) return word;
  const uint64_t found = Pack(FindFrameRule(place), unloads);
  entry.word.store(found, std::memory_order_relaxed);
  entry.check.store(place ^ found, std::memory_order_relaxed);
  return found;
}

struct Registers {
  uintptr_t place;  // inside the instruction that made the call
  uintptr_t rsp;
  uintptr_t rbp;
};

class Walker {
 public:
  Walker(uintptr_t stack_end, uint64_t unloads)
      : stack_end_(stack_end), unloads_(unloads) {}

  enum Result { kStepped, kEnd, kGaveUp };
  Result Step(Registers* at) const {
    const uint64_t rule = RuleFor(at->place, unloads_);
    if ((rule & kUsable) == 0) return kGaveUp;
    if ((rule & kOutermost) != 0) return kEnd;
    const uintptr_t base = (rule & kFromRbp) != 0 ? at->rbp : at->rsp;
    const uintptr_t cfa = base + static_cast<uintptr_t>(CfaOffset(rule));
    if (!Holds(cfa - 8, at->rsp)) return kGaveUp;
    if ((rule & kSaves) != 0) {
      const uintptr_t saved = cfa + static_cast<uintptr_t>(RbpOffset(rule));
      if (!Holds(saved, at->rsp)) return kGaveUp;
      at->rbp = *reinterpret_cast<const uintptr_t*>(saved);
    }
    const uintptr_t back = *reinterpret_cast<const uintptr_t*>(cfa - 8);
    at->rsp = cfa;
    at->place = back - 1;
    return back == 0 ? kEnd : kStepped;
  }

 private:
  // Whether the word is in the used part of the stack.
  bool Holds(uintptr_t word, uintptr_t rsp) const {
    return word >= rsp && word <= stack_end_ - 8 && word % 8 == 0;
  }

  uintptr_t stack_end_;
  uint64_t unloads_;
};

}  // namespace

[[gnu::noinline]] bool UnwindFast(const CodeRange& own,
                                  const StackBounds& stack,
                                  trace::StackRecord* record) {
  Registers at{};
#ifdef __x86_64__
  asm volatile(
      "lea 0(%%rip), %0\n\t"
      "mov %%rsp, %1\n\t"
      "mov %%rbp, %2"
      : "=&r"(at.place), "=&r"(at.rsp), "=&r"(at.rbp));
#else
  return false;  // rules exist for x86-64 only
#endif
  if (at.rsp < stack.begin || at.rsp >= stack.end) return false;
  const Walker walker(stack.end, UnloadCount());
  record->count = 0;
  while (record->count < trace::kMaxFrames) {
    const Walker::Result result = walker.Step(&at);
    if (result != Walker::kStepped) return result == Walker::kEnd;
    const uintptr_t address = at.place + 1;
    const bool ours = address >= own.begin && address < own.end;
    if (!ours) record->frames[record->count++] = address;
  }
  return true;
}

}  // namespace inquest::collector
