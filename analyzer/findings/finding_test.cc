// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/finding.h"

#include "tests/catch_compat.h"

namespace inquest::findings {
namespace {

TEST_CASE("a limit is told as what it is: a rule's, a part's, or a sentence") {
  CHECK(LimitWords({"a.b", "stopped after 50 ms"}) ==
        "rule a.b: stopped after 50 ms");
  CHECK(LimitWords({"stacks", "3 lines could not be read"}) ==
        "stacks: 3 lines could not be read");
  CHECK(LimitWords({"*", "2 signatures were switched off"}) ==
        "2 signatures were switched off");
}

TEST_CASE("rows that a rule does not ask for are no limit that was hit") {
  Diagnosis diagnosis;
  CHECK_FALSE(HitsALimit(diagnosis));
  diagnosis.limits.push_back({"a.b", "found 70 in all", true});
  CHECK_FALSE(HitsALimit(diagnosis));
  diagnosis.limits.push_back({"a.b", "stopped after 50 ms"});
  CHECK(HitsALimit(diagnosis));
}

}  // namespace
}  // namespace inquest::findings
