// SPDX-License-Identifier: Apache-2.0
// Events that were kept are the same as if they were read again.
#include "analyzer/memory/replay/kept_events.h"

#include <map>
#include <random>
#include <string>
#include <utility>

#include "analyzer/memory/steps/live_blocks.h"
#include "tests/catch_compat.h"

namespace inquest::memory {
namespace {

Database MadeEvents(int64_t count) {
  auto db = Database::Open(":memory:", Database::Mode::kCreate);
  REQUIRE(db.ok());
  REQUIRE(db->Execute("CREATE TABLE memory_event (id INTEGER PRIMARY KEY, "
                      "time_ns, op, kind, device, context, address, bytes, "
                      "result, stack, pool)")
              .ok());
  auto row = db->Prepare(
      "INSERT INTO memory_event VALUES (?1, ?1 + 9, ?2, 1, ?3, 5, ?4, ?5, 0, "
      "?6, ?1 + 3)");
  REQUIRE(row.ok());
  int64_t id = 0;
  for (int64_t i = 0; i < count; ++i) {
    id += 1 + i % 7;  // other records have the numbers between
    REQUIRE(row->Run(id, 1 + i % 5, i % 3, i * 512, i, i % 11).ok());
  }
  return db.Take();
}

std::string TextOf(const MemoryEvent& event) {
  std::string text;
  for (const int64_t part :
       {event.id, event.time, int64_t{event.op}, int64_t{event.kind},
        int64_t{event.device}, static_cast<int64_t>(event.context),
        static_cast<int64_t>(event.address), event.bytes, int64_t{event.result},
        event.stack, static_cast<int64_t>(event.mapped)}) {
    text += std::to_string(part) + ' ';
  }
  return text;
}

// What was visited, and whether it was all.
std::pair<std::vector<std::string>, bool> Visited(KeptEvents* events,
                                                  int64_t after, int64_t max) {
  std::vector<std::string> all;
  const auto whole = events->ForSome(after, max, [&](const MemoryEvent& event) {
    all.push_back(TextOf(event));
  });
  REQUIRE(whole.ok());
  return {all, *whole};
}

}  // namespace

TEST_CASE("events are the same when they were kept") {
  Database db = MadeEvents(1000);
  for (const int64_t first : {90, 300, 900, 5000}) {
    KeptEvents kept(&db, "");
    for (const int64_t max :
         {first, first, int64_t{120}, int64_t{600}, int64_t{2000}, first}) {
      CAPTURE(first, max);
      KeptEvents fresh(&db, "");
      CHECK(Visited(&kept, 3, max) == Visited(&fresh, 3, max));
    }
  }
}

TEST_CASE("all events are visited, kept or not") {
  Database db = MadeEvents(1000);
  for (const int64_t max : {0, 90, 900, 2000, 5000}) {
    for (const int64_t after : {3, 700, 99'999}) {
      CAPTURE(max, after);
      std::vector<std::string> known;
      REQUIRE(ForEachEvent(&db, "", after, [&](const MemoryEvent& event) {
                known.push_back(TextOf(event));
              }).ok());
      KeptEvents kept(&db, "");
      if (max > 0) Visited(&kept, 3, max);
      std::vector<std::string> all;
      const auto count = kept.ForAll(after, [&](const MemoryEvent& event) {
        all.push_back(TextOf(event));
      });
      REQUIRE(count.ok());
      CHECK(*count == static_cast<int64_t>(known.size()));
      CHECK(all == known);
    }
  }
}

TEST_CASE("live blocks are those of a map") {
  std::mt19937_64 dice(5);
  std::map<uint64_t, int64_t> known;
  LiveBlocks blocks;
  for (int64_t i = 0; i < 200'000; ++i) {
    const uint64_t key = dice() % 5000 * 512;
    if (dice() % 2 == 0) {
      known[key] = i;
      blocks.Put(key, i);
      continue;
    }
    const auto found = known.find(key);
    const auto bytes = blocks.Take(key);
    REQUIRE(bytes.has_value() == (found != known.end()));
    if (!bytes) continue;
    CHECK(*bytes == found->second);
    known.erase(found);
  }
}

}  // namespace inquest::memory
