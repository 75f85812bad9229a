// SPDX-License-Identifier: Apache-2.0
#include "analyzer/logs/reader/log_openings.h"

#include <string>

#include "tests/catch_compat.h"

using inquest::ingest::Openings;

namespace {

std::vector<int64_t> Lines(const std::string& head, const std::string& block,
                           int64_t first_line = 1) {
  Openings openings;
  openings.Begin(head);
  std::vector<int64_t> lines;
  for (const auto& place : openings.Find(block, 0, first_line)) {
    lines.push_back(place.line);
  }
  return lines;
}

std::vector<int64_t> Lines(const std::string& log) {
  return Lines(log, log);
}

}  // namespace

TEST_CASE("a log begins anew with its first two lines, whatever their digits") {
  const std::string one = "[12:01:07] Environment information\nPython: 3.10\n";
  const std::string two = "[13:41:22] Environment information\nPython: 3.10\n";
  CHECK(Lines(one + "step 1\n" + two + "step 1\n") ==
        std::vector<int64_t>{1, 4});
}

TEST_CASE("a log's beginning counts once there is another one") {
  const std::string run = "Loading the weights\nof model 7\n";
  Openings openings;
  openings.Begin(run);
  CHECK(openings.Find(run, 0, 1).empty());
  const auto places = openings.Find("step 9\n\n" + run, 1000, 101);
  REQUIRE(places.size() == 2);
  CHECK(places[0].line == 1);
  CHECK(places[0].offset == 0);
  CHECK(places[1].line == 103);
  CHECK(places[1].offset == 1008);
  CHECK(places[1].text == "Loading the weights");
}

TEST_CASE("the second line may be the longer one, and blanks between") {
  const std::string run = "run 17\n\nLoading the configuration of the model\n";
  CHECK(Lines(run + "x\n" + run) == std::vector<int64_t>{1, 5});
}

TEST_CASE("lines without words, as a banner has them, are passed over") {
  const std::string run = "=====\nLoading the weights\n=====\nof model a\n";
  CHECK(Lines(run + "x\n" + run) == std::vector<int64_t>{2, 7});
}

TEST_CASE("other colours make no other line") {
  CHECK(Lines("\x1b[32mLoading the weights\x1b[0m\ndone soon\nx\n"
              "\x1b[1;35mLoading the weights\x1b[0m\ndone soon\n") ==
        std::vector<int64_t>{1, 4});
}

TEST_CASE("a line that says the same twice is one line") {
  const std::string run = "of all weights 1 of all weights 2\ndone\n";
  CHECK(Lines(run + "x\n" + run) == std::vector<int64_t>{1, 4});
}

TEST_CASE("one of the two lines is not enough") {
  CHECK(Lines("Loading the weights\nof model a\nx\nLoading the weights\nof b\n")
            .empty());
}

TEST_CASE("a label before nothing is no line of a run's beginning") {
  const std::string said =
      "201:\n201: loading the weights\n201: of model a\n201: y\n";
  const std::string other = "202:\n202: loading the weights\n202: of b\n";
  CHECK(Lines(said + other).empty());
  CHECK(Lines(said + other + said) == std::vector<int64_t>{2, 9});
}

TEST_CASE("bars, few words and equal lines never begin a log anew") {
  const std::string bar = "loading: 10%|#   | 1/10\nloaded all\n";
  const std::string few = "a 1\nb 2\n";
  const std::string alike =
      "rank 1 waits for others\nrank 2 waits for others\n";
  CHECK(Lines(bar + bar).empty());
  CHECK(Lines(few + few).empty());
  CHECK(Lines(alike + alike).empty());
  CHECK(Lines("").empty());
  CHECK(Lines("\n\n\n").empty());
  CHECK(Lines("only one line of the log").empty());
}

TEST_CASE("of very many beginnings the last of a block is kept") {
  const std::string run = "Loading the weights\nof model a\n";
  std::string log;
  for (int i = 0; i < 5000; ++i) log += run;
  const auto lines = Lines(log);
  CHECK(lines.size() == 1);
  CHECK(lines.back() == 9999);
}

TEST_CASE("lines without an end cost no more than others") {
  std::string block = "Loading the weights\nof model a\n";
  for (int i = 0; i < Rounds(200'000); ++i) block += "Loading the weights ";
  CHECK(Lines(block).empty());
}
