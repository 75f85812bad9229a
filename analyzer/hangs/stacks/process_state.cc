// SPDX-License-Identifier: Apache-2.0
#include "analyzer/hangs/stacks/process_state.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "analyzer/hangs/stacks/places.h"
#include "base/text.h"

namespace inquest::hangs {
namespace {

// Where a thread that is not the main one may stand to speak for the process.
constexpr std::array kTelling = {
    Place::kAbort,    Place::kCollective, Place::kPeer,    Place::kLoader,
    Place::kTeardown, Place::kSetup,      Place::kEngine,  Place::kLock,
    Place::kDevice,   Place::kStorage,    Place::kCompile, Place::kNetwork};

// A place that holds for the code inside it, too: a user's data set inside the
// loader.
bool HoldsWithin(Place place) {
  constexpr std::array kAround = {
      Place::kLoader,   Place::kStorage,  Place::kCompile,
      Place::kSetup,    Place::kTeardown, Place::kDumper,
      Place::kBackward, Place::kEngine,   Place::kBackground};
  return std::ranges::count(kAround, place) > 0;
}

struct Standing {
  Place place = Place::kNone;
  size_t frame = 0;
};

// From a file, unlike a wait that every idle thread is in.
bool Reads(const Site& site) {
  return site.function.ends_with("libc_read") ||
         site.function.ends_with("libc_pread64") || site.function == "read" ||
         site.function == "pread64";
}

bool Waits(const Site& site) {
  constexpr std::string_view kWaits[] = {"cond_wait", "futex", "cond_timedwait",
                                         "poll",      "read",  "epoll"};
  return ContainsAny(site.function, kWaits);
}

// NCCL's progress thread waits where it has nothing to do.
bool IsSpinning(const StackThread& thread, size_t frame, const Sites& sites) {
  if (frame == 0) return false;
  for (size_t i = 0; i < frame; ++i) {
    const Site& site = sites[thread.frames[i]];
    if (Waits(site) || site.function == "ncclProxyGetPostedOps") return false;
  }
  return true;
}

Standing StandingOf(const StackThread& thread, const Sites& sites) {
  Standing found;
  for (size_t i = 0; i < thread.frames.size(); ++i) {
    Place place = sites[thread.frames[i]].place;
    if (place == Place::kNetwork && !IsSpinning(thread, i, sites)) {
      place = Place::kBackground;
    }
    if (place == Place::kNone) continue;
    if (found.place == Place::kNone) {
      found = {place, i};
      continue;
    }
    // Inside NCCL without symbols, what called it says more; I/O of a loader is
    // the loader's.
    const bool inner_vague = found.place == Place::kUser ||
                             found.place == Place::kBackground ||
                             found.place == Place::kLaunch;
    if (found.place == Place::kStorage && place == Place::kLoader) {
      found = {place, i};
    } else if (inner_vague && found.place != place &&
               (HoldsWithin(place) || found.place == Place::kBackground) &&
               place != Place::kUser) {
      found = {place, i};
    }
  }
  return found;
}

bool IsBootstrapped(const StackThread& thread, const Sites& sites) {
  if (thread.frames.empty()) return false;
  const std::string& outer = sites[thread.frames.back()].function;
  if (outer == "_bootstrap" || outer == "start_thread" || outer == "clone" ||
      outer == "clone3") {
    return true;
  }
  return std::ranges::any_of(thread.frames, [&](uint32_t site) {
    return sites[site].function == "_bootstrap" ||
           sites[site].function == "start_thread";
  });
}

// faulthandler prints the main thread last, py-spy and gdb name it.
std::optional<size_t> MainThread(const StackProcess& process,
                                 const Sites& sites) {
  const auto& threads = process.threads;
  std::optional<size_t> main;
  for (size_t i = 0; i < threads.size(); ++i) {
    if (threads[i].main && !threads[i].frames.empty()) return i;
    if (!threads[i].frames.empty() && threads[i].name.empty() &&
        !IsBootstrapped(threads[i], sites)) {
      main = i;
    }
  }
  return main;
}

// Of a native stack that no place is known for: the innermost frame that is no
// way of waiting.
std::optional<size_t> NativeFrame(const StackThread& thread,
                                  const Sites& sites) {
  for (size_t i = 0; i < thread.frames.size(); ++i) {
    const Site& site = sites[thread.frames[i]];
    const bool named = !site.function.empty() && site.function != "??";
    const bool runs = site.function.starts_with("_PyEval") ||
                      site.function.starts_with("_start") ||
                      site.function.starts_with("__libc_start");
    if (named && !runs && (!Waits(site) || Reads(site))) return i;
  }
  return {};
}

bool IsStrong(Place place) {
  return place != Place::kNone && place != Place::kIdle &&
         place != Place::kDumper && place != Place::kBackground &&
         place != Place::kBackward;
}

// The innermost line of the program outside of the frame that tells, of
// wrappers and of PyTorch's own layers.
std::optional<uint32_t> CallerOf(const StackThread& thread, size_t frame,
                                 const Sites& sites) {
  for (size_t i = frame + 1; i < thread.frames.size(); ++i) {
    const Site& site = sites[thread.frames[i]];
    const bool python = site.file.ends_with(".py");
    const bool layer = site.file.find("torch/") != site.file.npos ||
                       site.file.find("/comm/") != site.file.npos;
    if (python && !layer && !IsPlumbing(site)) return thread.frames[i];
  }
  return {};
}

void Note(const StackProcess& process, const Sites& sites,
          ProcessState* state) {
  for (const StackThread& thread : process.threads) {
    for (const uint32_t site : thread.frames) {
      const Site& one = sites[site];
      const auto in = [&](std::string_view part) {
        return one.function.find(part) != one.function.npos ||
               one.file.find(part) != one.file.npos;
      };
      state->has_nccl = state->has_nccl || in("nccl") ||
                        one.place == Place::kNetwork ||
                        one.place == Place::kBackground;
      state->has_torch = state->has_torch || in("torch") || in("c10");
    }
  }
}

}  // namespace

ProcessState StateOf(const StackProcess& process, const Sites& sites) {
  const auto& threads = process.threads;
  std::vector<Standing> all;
  for (const StackThread& thread : threads) {
    all.push_back(StandingOf(thread, sites));
  }
  std::optional<size_t> working = MainThread(process, sites);
  const bool speaks = working && IsStrong(all[*working].place);
  if (!speaks) {
    size_t best = kTelling.size();
    for (size_t i = 0; i < threads.size(); ++i) {
      const auto rank = static_cast<size_t>(
          std::ranges::find(kTelling, all[i].place) - kTelling.begin());
      if (rank >= best) continue;
      // A queue's or pool's lock is where helpers wait.
      const bool helper = all[i].place == Place::kLock && working &&
                          threads[i].frames.size() > all[i].frame &&
                          IsPlumbing(sites[threads[i].frames[all[i].frame]]);
      if (helper) continue;
      best = rank;
      working = i;
    }
    if (!working) {
      for (size_t i = 0; i < threads.size() && !working; ++i) {
        if (all[i].place != Place::kNone) working = i;
      }
    }
  }
  ProcessState state;
  Note(process, sites, &state);
  if (!working) return state;
  // A main thread that gdb shows stands somewhere, known or not.
  if (process.tool == Tool::kGdb && threads[*working].main &&
      all[*working].place == Place::kNone) {
    if (const auto frame = NativeFrame(threads[*working], sites)) {
      all[*working] = {Place::kUser, *frame};
    }
  }
  const StackThread& thread = threads[*working];
  state.thread = *working;
  state.place = all[*working].place;
  if (thread.frames.empty()) return state;
  state.site = thread.frames[all[*working].frame];
  state.at = thread.at[all[*working].frame];
  state.caller = CallerOf(thread, all[*working].frame, sites);
  return state;
}

}  // namespace inquest::hangs
