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

TEST_CASE("words that fit into no line are broken behind a mark") {
  CHECK(WrapLines("see /a/very/long/path/that/has/no/blank", 20) ==
        "see\n    /a/very/long/\n    path/that/has/\n    no/blank");
  CHECK(WrapLines("0123456789012345678901234", 20) ==
        "01234567890123456789\n    01234");
}

TEST_CASE("commands go on behind a backslash, and mean the same") {
  CHECK(WrapLines("     export VARIABLE=value and more of it\n", 24) ==
        "     export \\\n       VARIABLE=value \\\n       and more of it\n");
  CHECK(WrapLines("     sh -c \"one two three four\"\n", 20) ==
        "     sh -c \\\n       \"one two \\\nthree four\"\n");
  CHECK(WrapLines("     sh -c 'one two three four'\n", 26) ==
        "  sh -c \\\n    'one two three four'\n");
  CHECK(WrapLines("     jax.initialize(x=300)\n", 22) ==
        " jax.initialize(x=300)\n");
  CHECK(WrapLines("     run it   # and a reason for it\n", 22) ==
        "     run it\n     # and a reason\n     # for it\n");
}

TEST_CASE("colours have no width, wide characters have two columns") {
  CHECK(WrapLines("\x1b[1mbold words here\x1b[0m ende", 20) ==
        "\x1b[1mbold words here\x1b[0m ende");
  CHECK(WrapLines("äöü äöü äöü äöü äöü", 20) == "äöü äöü äöü äöü äöü");
  CHECK(WrapLines("内存不足 内存不足 内存", 20) ==
        "内存不足 内存不足\n    内存");
}

}  // namespace
}  // namespace inquest::report
