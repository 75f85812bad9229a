// SPDX-License-Identifier: Apache-2.0
#include "base/csv.h"

#include "tests/catch_compat.h"

namespace inquest {
namespace {

TEST_CASE("a field of CSV is no formula") {
  CHECK(CsvField("plain", false) == "plain");
  CHECK(CsvField("=1+1", false) == "'=1+1");
  CHECK(CsvField("@SUM(A1)", false) == "'@SUM(A1)");
  CHECK(CsvField("-cmd", false) == "'-cmd");
  CHECK(CsvField("＝1", false) == "'＝1");
  CHECK(CsvField("-5", true) == "-5");
  CHECK(CsvField("a,b", false) == "\"a,b\"");
  CHECK(CsvField("a;=b", false) == "\"a;=b\"");
  CHECK(CsvField("say \"x\"\n", false) == "\"say \"\"x\"\"\n\"");
  CHECK(CsvField("\t=x", false) == "\"'\t=x\"");
}

}  // namespace
}  // namespace inquest
