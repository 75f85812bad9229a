// SPDX-License-Identifier: Apache-2.0
#include "analyzer/logs/reader/log_folds.h"

#include <string>

#include "tests/catch_compat.h"

using inquest::ingest::FoldsOf;

namespace {

const std::string kLong =
    "what():  operation not supported, or the call failed on this OS";

}  // namespace

TEST_CASE("a line that a terminal cut twice is folded") {
  const std::string cut =
      "KV cache is needed, but the largest free block has b";
  const std::string other =
      "An error ends each worker of the job whose memory is";
  const auto folds = FoldsOf(cut + "\nytes left\nok\n" + other + "\n full\n");
  CHECK(folds.width == cut.size());
}

TEST_CASE("a name in capitals that was cut goes on in the next line") {
  const std::string cut =
      "if the watchdog is not stuck, you can increase TORCH_NCCL_";
  CHECK(FoldsOf(cut + "\nHEARTBEAT_TIMEOUT_SEC to a larger value\n").width ==
        cut.size());
}

TEST_CASE("a line padded to the screen's width is not a full one") {
  const std::string cut =
      "KV cache is needed, but the largest free block has b";
  const std::string rest = "ytes left";
  const std::string padded = rest + std::string(cut.size() - rest.size(), ' ');
  const std::string other =
      "An error ends each worker of the job whose memory is";
  CHECK(FoldsOf(cut + "\n" + padded + "\n" + padded + "\n" + other + "\n full")
            .width == cut.size());
}

TEST_CASE("a message that is printed again is not cut at its own length") {
  const std::string twice = kLong + "\nterminate called\n";
  CHECK(FoldsOf(twice + twice + twice).width == 0);
  const std::string one =
      "[warn] Epoll ADD(4) on fd 42 failed. Old events were 0: bad descriptor";
  std::string other = one;
  other.replace(other.find("42"), 2, "36");
  CHECK(FoldsOf(one + "\n" + other + "\nand so it ended\n").width == 0);
}

TEST_CASE("a record of a logger is not the rest of the line above") {
  const std::string failed =
      "ERROR (RemoveLeastRecentlyUsed():allocator.cc:9) it fai";
  const std::string other =
      "LOG (FinalizeActiveGpu():device.cc:243) the device is 0";
  REQUIRE(failed.size() == other.size());
  CHECK(inquest::ingest::Continues(failed, "led twice", true));
  CHECK_FALSE(inquest::ingest::Continues(failed, "WARNING (x.cc:1) no", true));
  CHECK_FALSE(inquest::ingest::Continues(failed, "srun: error: no", true));
  CHECK(FoldsOf(failed + "\nWARNING (Execute():x.cc:1) more\n" + other +
                "\nINFO: done\n")
            .width == 0);
}
