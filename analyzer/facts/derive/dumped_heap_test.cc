// SPDX-License-Identifier: Apache-2.0
// Whose chunks are whose, and what follows from a dump.
#include "analyzer/facts/derive/dumped_heap.h"

#include <fmt/format.h>

#include "tests/catch_compat.h"

namespace inquest::facts {
namespace {

class Dumps {
 public:
  Dumps() {
    auto store = Store::Create();
    REQUIRE(store.ok());
    store_.emplace(store.Take());
    REQUIRE(store_->DefineFacts().ok());
  }

  // A refusal at a line of log 1; its number is that of the call.
  void Refusal(int line, const std::string& rank = "NULL") {
    Run(
        fmt::format("INSERT INTO store_log_event (id, signature, role, "
                    "severity, source, path, line, offset, time_error, text, "
                    "figures) VALUES ({0}, 's', 'cause', 'error', 1, 'a', {0}, "
                    "0, 0, '', '{{}}'); INSERT INTO store_oom (source, "
                    "evidence, rank) VALUES ('log', 'log_event:{0}', {1})",
                    line, rank));
  }

  void Chunk(int line, int address, int bytes, bool free,
             const std::string& rank = "NULL") {
    Run(
        fmt::format("INSERT INTO store_log_chunk VALUES (1, {}, {}, {}, {}, "
                    "{:d}, NULL)",
                    line, rank, address, bytes, free));
  }

  // "gaps largest in-use blocks" of the refusal.
  std::string Of(int oom) {
    if (!collected_) REQUIRE(CollectDumpedHeaps(&*store_).ok());
    collected_ = true;
    auto row = store_->db().Prepare(fmt::format(
        "SELECT coalesce(gap_bytes, '-') || ' ' || "
        "coalesce(largest_free_bytes, '-') || ' ' || coalesce(in_use_bytes, "
        "'-') || ' ' || (SELECT count(*) FROM heap_block WHERE oom = {0}) "
        "FROM oom WHERE oom = {0}",
        oom));
    REQUIRE(row.ok());
    REQUIRE(row->Step());
    return std::string(row->Text(0));
  }

  void Run(const std::string& sql) { REQUIRE(store_->db().Execute(sql).ok()); }

 private:
  std::optional<Store> store_;
  bool collected_ = false;
};

TEST_CASE("chunks go to the refusal above them") {
  Dumps dumps;
  dumps.Chunk(1, 0, 100, true);  // above all: nobody's
  dumps.Refusal(10);
  dumps.Chunk(11, 0, 100, false);
  dumps.Chunk(12, 100, 50, true);
  dumps.Chunk(13, 150, 70, true);
  dumps.Refusal(20);
  dumps.Chunk(21, 0, 100, false);
  dumps.Refusal(30);
  CHECK(dumps.Of(1) == "120 70 100 3");
  CHECK(dumps.Of(2) == "0 0 100 1");
  CHECK(dumps.Of(3) == "- - - 0");
}

TEST_CASE("ranks that print at once keep their own") {
  Dumps dumps;
  dumps.Refusal(10, "0");
  dumps.Refusal(11, "1");
  dumps.Chunk(12, 0, 100, true, "0");
  dumps.Chunk(13, 0, 300, true, "1");
  CHECK(dumps.Of(1) == "100 100 0 1");
  CHECK(dumps.Of(2) == "300 300 0 1");
}

TEST_CASE("a dump that stands twice counts once") {
  Dumps dumps;
  dumps.Refusal(10);
  for (const int line : {11, 21}) dumps.Chunk(line, 100, 50, true);
  CHECK(dumps.Of(1) == "50 50 0 1");
}

TEST_CASE("what contradicts itself is left out") {
  Dumps dumps;
  dumps.Refusal(10);
  dumps.Chunk(11, 0, 100, false);
  dumps.Chunk(12, 50, 100, true);
  CHECK(dumps.Of(1) == "- - - 0");
}

TEST_CASE("what the allocator says of its live bytes is kept") {
  Dumps dumps;
  dumps.Refusal(10);
  dumps.Run("UPDATE store_oom SET in_use_bytes = 7");
  dumps.Chunk(11, 0, 100, false);
  CHECK(dumps.Of(1) == "0 0 7 1");
}

}  // namespace
}  // namespace inquest::facts
