// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/excerpt.h"

#include <string>

#include "tests/catch_compat.h"

namespace inquest::report {
namespace {

const std::string kBar(400, '#');

TEST_CASE("a short line is quoted whole") {
  CHECK(Excerpt("step 1: KeyError: 'x'", {}, 80) == "step 1: KeyError: 'x'");
}

TEST_CASE("of a long line the part with a figure is quoted") {
  const Figures figures{{"symbol", "_ZN3c10"}};
  const std::string line =
      kBar + " so: undefined symbol: _ZN3c10 not found " + kBar;
  const std::string part = Excerpt(line, figures, 80);
  CHECK(part.find("undefined symbol: _ZN3c10 not found") != part.npos);
  CHECK(part.starts_with("…"));
  CHECK(part.ends_with("#…"));
}

TEST_CASE("without figures the first word of an error decides") {
  CHECK(Excerpt(kBar + " OSError: gone" + std::string(80, '.'), {}, 80)
            .starts_with("…OSError: gone"));
  CHECK(Excerpt("OSError: gone " + kBar, {}, 80).starts_with("OSError: gone"));
}

TEST_CASE("what was matched is what is quoted") {
  const std::string line = "(a) 12 workers ended at node 10.0.0.7" + kBar;
  const Figures figures{{"place", kBar}};
  CHECK(Excerpt(line, figures, 80, {4, 37}).starts_with("(a) 12 workers"));
  const std::string late = kBar + " 12 workers ended at node 10.0.0.7" + kBar;
  CHECK(Excerpt(late, figures, 80, {401, 434}).starts_with("…12 workers"));
  CHECK(Excerpt(line, {{"node", "10.0.0.7"}}, 80, {0, line.size()})
            .starts_with("(a) 12"));
}

TEST_CASE("of a long match both ends are quoted") {
  const std::string line = "at 4 launch [" + kBar + " x] returned code -9";
  CHECK(Excerpt(line, {}, 80, {5, line.size()}) ==
        "at 4 launch [" + kBar.substr(0, 41) + " … x] returned code -9");
  const std::string late = kBar + ' ' + line + '.';
  CHECK(Excerpt(late, {}, 80, {406, late.size() - 1})
            .starts_with("…launch [###"));
}

TEST_CASE("a line that tells nothing is quoted from its beginning") {
  CHECK(Excerpt(kBar, {}, 80).starts_with("###"));
}

}  // namespace
}  // namespace inquest::report
