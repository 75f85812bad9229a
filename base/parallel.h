// SPDX-License-Identifier: Apache-2.0
// Runs the same function on many items, on all cores.
#pragma once

#include <cstddef>
#include <functional>

namespace inquest {

// How many threads work at a time: the cores, at most `most` and at most what
// LimitThreads allowed.
size_t Threads(size_t most);
// For the whole process, before its first threads: where several processes
// share the cores, each is given one.
void LimitThreads(size_t most);

// Calls `work` once with each number below `count`, in any order, from up to
// four threads, and returns when all are done. `work` must not throw and not
// touch anything that another call changes. If no thread can be started, the
// caller does all the work.
void InParallel(size_t count, const std::function<void(size_t)>& work);

}  // namespace inquest
