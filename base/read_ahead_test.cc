// SPDX-License-Identifier: Apache-2.0
#include "base/read_ahead.h"

#include <chrono>

#include "tests/catch_compat.h"

using namespace inquest;

namespace {

void Pause(unsigned microseconds) {
  std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
}

struct Block {
  int number = 0;
  int finished = 0;
};

// Whoever is slow, the blocks come in turn, each filled and finished once.
void CheckAll(unsigned fill_us, unsigned finish_us, unsigned take_us) {
  constexpr int kCount = 60;
  int filled = 0;
  ReadAhead<Block, 4> ahead;
  const bool started = ahead.Start(
      [&](Block* block) {
        Pause(fill_us);
        if (filled == kCount) return false;
        *block = {filled++, 0};
        return true;
      },
      [&](Block* block) {
        Pause(block->number % 3 * finish_us);
        block->finished += block->number + 1;
      });
  if (!started) return;  // one core
  int taken = 0;
  while (const Block* block = ahead.Next()) {
    CHECK(block->number == taken++);
    CHECK(block->finished == taken);
    Pause(take_us);
    CHECK(block->finished == taken);  // nobody fills it again yet
  }
  CHECK(taken == kCount);
  CHECK(ahead.Next() == nullptr);
}

}  // namespace

TEST_CASE("blocks are read ahead in turn") {
  CheckAll(0, 0, 0);
  CheckAll(200, 0, 0);
  CheckAll(0, 200, 0);
  CheckAll(0, 0, 200);
  CheckAll(50, 100, 50);
}

TEST_CASE("reading ahead stops where nobody takes the blocks") {
  int filled = 0;
  ReadAhead<Block, 3> ahead;
  const bool started = ahead.Start([&](Block*) { return ++filled > 0; });
  if (!started) return;
  CHECK(ahead.Next() != nullptr);
  ahead.Stop();
  CHECK(filled >= 1);
  CHECK(filled <= 3);
  CHECK_FALSE(ahead.started());
}
