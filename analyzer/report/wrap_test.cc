// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/wrap.h"

#include "tests/catch_compat.h"

namespace inquest::report {
namespace {

TEST_CASE("lines are broken at blanks and hang below their beginning") {
  CHECK(WrapLines("  one two three four five six\n", 20) ==
        "  one two three four\n      five six\n");
  CHECK(WrapLines("short\n", 20) == "short\n");
  CHECK(WrapLines("no width at all is no limit", 0) ==
        "no width at all is no limit");
}

TEST_CASE("commands and long words stay whole") {
  const std::string command = "     export VARIABLE=value and more of it\n";
  CHECK(WrapLines(command, 20) == command);
  CHECK(WrapLines("see /a/very/long/path/that/has/no/blank", 20) ==
        "see\n    /a/very/long/path/that/has/no/blank");
}

TEST_CASE("colours and bytes of one character have no width of their own") {
  CHECK(WrapLines("\x1b[1mbold words here\x1b[0m ende", 20) ==
        "\x1b[1mbold words here\x1b[0m ende");
  CHECK(WrapLines("äöü äöü äöü äöü äöü", 20) == "äöü äöü äöü äöü äöü");
}

}  // namespace
}  // namespace inquest::report
