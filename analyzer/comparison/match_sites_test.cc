// SPDX-License-Identifier: Apache-2.0
#include "analyzer/comparison/match_sites.h"

#include <algorithm>

#include "tests/catch_compat.h"

namespace inquest::comparison {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

TEST_CASE("a chain without its lines") {
  CHECK(WithoutLines("a.py:5 in f < b.py:17 in main") ==
        "a.py in f < b.py in main");
  CHECK(WithoutLines("samples::Tensor::Tensor < main") ==
        "samples::Tensor::Tensor < main");
  CHECK(WithoutLines("http://x:80/y") == "http://x:80/y");
  CHECK(WithoutLines("") == "");
}

TEST_CASE("a line that moved is the same site") {
  CHECK(MatchSites({"a.py:5 in f", "b.py:2 in g"},
                   {"a.py:9 in f", "c.py:2 in h"}) ==
        Pairs{{"a.py:5 in f", "a.py:9 in f"}});
}

TEST_CASE("lines that moved onto each other are matched in their order") {
  CHECK(
      MatchSites({"a.py:9 in f", "a.py:12 in f"},
                 {"a.py:12 in f", "a.py:15 in f"}) ==
      Pairs{{"a.py:9 in f", "a.py:12 in f"}, {"a.py:12 in f", "a.py:15 in f"}});
}

TEST_CASE("a new line between others leaves them what they are") {
  Pairs pairs = MatchSites({"a.py:9 in f", "a.py:20 in f"},
                           {"a.py:9 in f", "a.py:14 in f", "a.py:20 in f"});
  std::sort(pairs.begin(), pairs.end());
  CHECK(pairs == Pairs{{"a.py:20 in f", "a.py:20 in f"},
                       {"a.py:9 in f", "a.py:9 in f"}});
}

}  // namespace
}  // namespace inquest::comparison
