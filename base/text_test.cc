// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include "tests/catch_compat.h"

using namespace inquest;

TEST_CASE("texts that differ in numbers alone are equal without them") {
  CHECK(WithoutNumbers("NVRM: Xid 45, pid=812, Ch 0000000a") ==
        WithoutNumbers("NVRM: Xid 45, pid=93, Ch 0000001b"));
  CHECK(WithoutNumbers("at 0x7f2a [0000003b]") == "at  []");
  CHECK(WithoutNumbers("rank 12 of 16") == "rank  of ");
  CHECK(WithoutNumbers("a face, a decade, c10d and e2e") ==
        "a face, a decade, cd and ee");
  CHECK(WithoutNumbers("").empty());
}
