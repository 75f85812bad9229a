// SPDX-License-Identifier: Apache-2.0
#include "base/display_width.h"

#include "tests/catch_compat.h"

namespace inquest {
namespace {

TEST_CASE("characters take no column, one or two") {
  CHECK(DisplayWidth("") == 0);
  CHECK(DisplayWidth("abc") == 3);
  CHECK(DisplayWidth("äöü…×█") == 6);
  CHECK(DisplayWidth("内存") == 4);
  CHECK(DisplayWidth("e\xCC\x81") == 1);         // a combining accent
  CHECK(DisplayWidth("\xF0\x9F\x98\x80") == 2);  // an emoji
  CHECK(DisplayWidth("\x1b[1;31mred\x1b[0m") == 3);
  CHECK(DisplayWidth("\xFF\xFE") == 2);  // bytes that are no text
}

TEST_CASE("what fits ends between characters") {
  CHECK(FittingLength("abcdef", 3) == 3);
  CHECK(FittingLength("内存", 3) == 3);
  CHECK(FittingLength("\x1b[1mab", 1) == 5);
  CHECK(FittingLength("abc", 0) == 0);
  CHECK(FittingLength("abc", 9) == 3);
}

}  // namespace
}  // namespace inquest
