// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/collect/row_sentence.h"

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "tests/catch_compat.h"

namespace inquest::findings {
namespace {

// Facts whose rows the shipped rules name as evidence: 'api_error:' || id.
std::set<std::string> FactsQuoted() {
  static const std::regex kQuoted("'([a-z_]+):' ?\\|\\|");
  std::set<std::string> facts;
  const std::filesystem::path rules(INQUEST_SOURCE_DIR "/rules");
  for (const auto& one : std::filesystem::recursive_directory_iterator(rules)) {
    if (one.path().extension() != ".yaml") continue;
    std::ostringstream text;
    text << std::ifstream(one.path()).rdbuf();
    const std::string all = text.str();
    for (std::sregex_iterator at(all.begin(), all.end(), kQuoted), end;
         at != end; ++at) {
      facts.insert((*at)[1]);
    }
  }
  facts.erase("log_event");  // is quoted as a line
  return facts;
}

TEST_CASE("each row that a rule quotes is told in words") {
  const std::set<std::string> facts = FactsQuoted();
  REQUIRE(facts.contains("collective_stall"));
  for (const std::string& fact : facts) {
    CAPTURE(fact);
    const bool event = fact == "device_event";
    const RowText row = {{"op", "alloc"}, {"kind", event ? "ecc" : "device"}};
    CHECK(!RowSentence(fact, row).empty());
  }
}

TEST_CASE("who came to a collective, and who did not") {
  const RowText stall = {{"time", "1758581237547000000"},
                         {"entered_ranks", "8, 10, 11, 12, 13, 15"},
                         {"missing_ranks", "9, 14"},
                         {"optype", "all_to_all"},
                         {"seqnum", "45265"},
                         {"group_name", "72"},
                         {"description", "EXPERT"}};
  CHECK(RowSentence("collective_stall", stall) ==
        "22:47:17.547 UTC ranks 8, 10–13, 15 entered all_to_all 45265 of group "
        "72 (EXPERT); ranks 9, 14 did not");
  CHECK(RowSentence("collective_rank", {{"rank", "9"},
                                        {"path", "/x/_dump_9"},
                                        {"entries", "0"},
                                        {"pending", "0"},
                                        {"missing_from", "4"}}) ==
        "rank 9 (_dump_9): nothing was under way; it did not come to 4 "
        "operations that others wait in");
}

TEST_CASE("what the stacks of a hang show") {
  CHECK(RowSentence("stack_hang", {{"who", "rank 5"},
                                   {"words", "stands"},
                                   {"site", "tokenize (prep.py:71)"},
                                   {"dumped", "16"},
                                   {"waiting", "15"}}) ==
        "rank 5 stands in tokenize (prep.py:71); of 16 dumped processes 15 "
        "wait");
}

TEST_CASE("a control group without a limit has none") {
  CHECK(RowSentence("cgroup_memory", {{"path", "/job"}, {"oom_kills", "2"}}) ==
        "control group /job: no limit of its own, processes killed in it: 2");
}

}  // namespace
}  // namespace inquest::findings
