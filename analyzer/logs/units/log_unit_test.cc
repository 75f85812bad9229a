// SPDX-License-Identifier: Apache-2.0
#include "analyzer/logs/units/log_unit.h"

#include "tests/catch_compat.h"

namespace inquest::ingest {
namespace {

std::string Named(const std::string& path) {
  const LogUnit unit = UnitOfPath(path);
  std::string text;
  if (unit.rank) text += "rank " + std::to_string(*unit.rank);
  if (unit.local_rank) text += "local " + std::to_string(*unit.local_rank);
  if (!unit.host.empty()) text += " on " + unit.host;
  if (unit.attempt) text += " attempt " + std::to_string(*unit.attempt);
  return text;
}

}  // namespace

TEST_CASE("names of files that tell a rank") {
  CHECK(Named("rank3.log") == "rank 3");
  CHECK(Named("logs/global_rank_12.txt") == "rank 12");
  CHECK(Named("nccl_trace_rank_7") == "rank 7");
  CHECK(Named("mpirank5.out") == "rank 5");
  CHECK(Named("local_rank_2.log") == "local 2");
  CHECK(Named("slurm-4711_9.out") == "rank 9");
  CHECK(Named("log.0") == "rank 0");
  CHECK(Named("1/rank.3/stdout") == "rank 3");
  CHECK(Named("x_y/attempt_1/5/stderr.log") == "local 5 attempt 1");
  CHECK(Named("node12/x_y/attempt_0/5/error.json") ==
        "local 5 on node12 attempt 0");
}

TEST_CASE("names of files that tell no rank") {
  CHECK(Named("train.log").empty());
  CHECK(Named("slurm-4711.out").empty());
  CHECK(Named("crank3x.log").empty());
  CHECK(Named("2031-02-03.log").empty());
  CHECK(Named("core.4711").empty());
}

TEST_CASE("names of files that tell a node") {
  CHECK(Named("dmesg-node7.txt") == " on node7");
  CHECK(Named("dmesg-gpu-012.txt") == " on gpu-012");
  CHECK(Named("node7.dmesg") == " on node7");
  CHECK(Named("node7/dmesg.txt") == " on node7");
  CHECK(Named("node7/dmesg").ends_with("node7"));
  CHECK(Named("dmesg.txt").empty());
  CHECK(Named("slurm-4711-hgx02.out") == " on hgx02");
  CHECK(Named("train-1-worker-2/rank9.log") == "rank 9 on train-1-worker-2");
}

TEST_CASE("lines that tell a rank") {
  const LogUnit one = UnitOfText(
      "node7:4711:4799 [3] NCCL INFO ncclCommInitRank comm 0x55aa rank 11 "
      "nranks 16 cudaDev 3 busId 5d000 commId 0x1 - Init COMPLETE\n"
      "node7:4711:4799 [3] NCCL INFO ncclCommInitRank comm 0x66aa rank 1 "
      "nranks 2 cudaDev 3 busId 5d000 commId 0x2 - Init COMPLETE\n");
  CHECK(one.rank == 11);
  CHECK(one.world == 16);
  CHECK(one.host == "node7");
  CHECK(UnitOfText("[rank3]: a\n[rank3]: b\n").rank == 3);
  CHECK_FALSE(UnitOfText("[rank3]: a\n[rank4]: b\n").rank);
  CHECK(UnitOfText("RANK=5\nWORLD_SIZE=8\n").rank == 5);
  CHECK(UnitOfText("RANK=5\nWORLD_SIZE=8\n").world == 8);
  CHECK(UnitOfText("[launch.py:163:main] dist_world_size=5\n").world == 5);
  CHECK(UnitOfText("  world_size ................ 64\n").world == 64);
  CHECK(UnitOfText("using world size: 64, tensor size: 2\n").world == 64);
  CHECK_FALSE(UnitOfText("local_world_size=4\n").world);
  CHECK(WorldOfText("a\nWORLD_SIZE=8\nx world size: 4, WORLD_SIZE=16\n") == 16);
  CHECK_FALSE(WorldOfText("local_world_size=4\nworld peace\n"));
  CHECK_FALSE(UnitOfText("LOCAL_RANK=5\n").rank);
  CHECK_FALSE(UnitOfText("").rank);
}

TEST_CASE("lines are believed before bare numbers, not before names") {
  LogUnit logger;  // "[Rank 1]" of a group
  logger.rank = 1;
  CHECK(Combine(logger, UnitOfPath("rank9.log")).rank == 9);
  CHECK(Combine(logger, UnitOfPath("log.9")).rank == 1);
  CHECK(Combine(UnitOfText("[rank4]: x\n"), UnitOfPath("rank9.log")).rank == 4);
}

TEST_CASE("the user's own pattern") {
  const auto pattern =
      RankPattern::Compile(R"((?P<node>[^/]+)/w(?P<rank>\d+)\.log)");
  REQUIRE(pattern.ok());
  LogUnit unit = UnitOfPath("alpha/w12.log");
  pattern->Apply("alpha/w12.log", &unit);
  CHECK(unit.rank == 12);
  CHECK(unit.host == "alpha");
  CHECK_FALSE(RankPattern::Compile("(").ok());
  CHECK_FALSE(RankPattern::Compile("(?P<host>x)").ok());
}

}  // namespace inquest::ingest
