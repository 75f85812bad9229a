// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/collect/message.h"

#include "tests/catch_compat.h"

namespace inquest::findings {
namespace {

TEST_CASE("fields are filled in with their format") {
  const Figures figures = {
      {"device", 3},
      {"requested_bytes", 2147483648},
      {"calls", 12345},
      {"name", "evil\x1b[31m"},
      {"list", Figure::List{1024, 2048}},
      {"many", Figure::List{5, 1, 4, 2, 9}},
      {"words", Figure::List{"a", "b", "c", "d", "e", "f"}}};
  CHECK(FillMessage("GPU {device}", figures) == "GPU 3");
  CHECK(FillMessage("{requested_bytes|bytes} asked", figures) ==
        "2.00 GiB asked");
  CHECK(FillMessage("{calls|count}", figures) == "12,345");
  CHECK(FillMessage("{list|bytes}", figures) == "1.00 KiB, 2.00 KiB");
  CHECK(FillMessage("GPU {many}", figures) == "GPU 1, 2, 4, 5, 9");
  CHECK(FillMessage("{many|bytes}", figures) == "1 B to 9 B");
  CHECK(FillMessage("{words}", figures) == "a, b, c, d and 2 more");
  CHECK(FillMessage("{nothing}", figures) == "?");
  CHECK(FillMessage("no { closing", figures) == "no { closing");
  CHECK(FillMessage("[GPU {device}: ]{calls|count} calls[, {nothing} lost]",
                    figures) == "GPU 3: 12,345 calls");
  CHECK(FillMessage("{timeout_ms|duration}", {{"timeout_ms", 1800000}}) ==
        "30 min");
  CHECK(FillMessage("{who|ranks} came", {{"who", "14, 9"}}) ==
        "ranks 9, 14 came");
  CHECK(FillMessage("{device|ranks}; {many|ranks}", figures) ==
        "rank 3; ranks 1, 2, 4, 5, 9");
  CHECK(FillMessage("{name|ranks}", {{"name", "some"}}) == "some");
  CHECK(FillMessage("[note] and [half", figures) == "[note] and [half");
  CHECK(FillMessage("{name}", figures).find('\x1b') == std::string::npos);
}

}  // namespace
}  // namespace inquest::findings
