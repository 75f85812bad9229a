// Runs the same function on many items, on all cores.
#pragma once

#include <cstddef>
#include <functional>

namespace inquest {

// Calls `work` once with each number below `count`, in no certain order, from
// up to four threads, and returns when all are done. `work` must not throw and
// touches nothing that another call of it changes. Where no thread can be had,
// the caller does it all.
void InParallel(size_t count, const std::function<void(size_t)>& work);

}  // namespace inquest
