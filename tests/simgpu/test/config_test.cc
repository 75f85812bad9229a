// SPDX-License-Identifier: Apache-2.0
// The meaning of SIMGPU_* texts, and that a wrong one is reported and ignored.
#include "core/config.h"

#include <cstdlib>

#include "core/fault_spec.h"
#include "driver/ptx.h"
#include "tests/catch_compat.h"

namespace simgpu {

TEST_CASE("sizes") {
  uint64_t bytes = 0;
  REQUIRE((ParseBytes("2GiB", &bytes) && bytes == uint64_t{2} << 30));
  REQUIRE((ParseBytes("512M", &bytes) && bytes == uint64_t{512} << 20));
  REQUIRE((ParseBytes("3 GB", &bytes) && bytes == 3000000000u));
  REQUIRE((ParseBytes("4096", &bytes) && bytes == 4096));
  for (const char* bad : {"", "G", "-1", "1.5G", "2 lots", "99999999999999T"}) {
    REQUIRE_FALSE(ParseBytes(bad, &bytes));
  }
}

TEST_CASE("faults") {
  FaultSpec spec;
  REQUIRE(ParseFault("call=cuMemAlloc_v2, after=100,result=2", &spec).empty());
  REQUIRE((spec.call == "cuMemAlloc_v2" && spec.after == 100 &&
           spec.result == 2 && spec.count == 1));
  spec = {};
  REQUIRE(ParseFault("xid=79,after_ms=50", &spec).empty());
  REQUIRE((spec.xid == 79 && spec.after_ms == 50));
  for (const char* bad : {"after=1", "call=x", "call=x,result=two", "call",
                          "call=x,result=1,why=3", "call=x,xid=3,result=1"}) {
    spec = {};
    REQUIRE_FALSE(ParseFault(bad, &spec).empty());
  }
}

TEST_CASE("a wrong setting is reported and the default kept") {
  setenv("SIMGPU_MEMORY", "plenty", 1);
  setenv("SIMGPU_FIT", "worst", 1);
  setenv("SIMGPU_OTHER", "12:1GiB:jupyter,nonsense", 1);
  setenv("SIMGPU_DEVICES", "900", 1);
  setenv("SIMGPU_FAULT", "call=cuInit;call=cuInit,result=100", 1);
  std::vector<std::string> complaints;
  const Config config = ReadConfig(&complaints);
  REQUIRE(complaints.size() == 5);
  REQUIRE(config.memory == uint64_t{8} << 30);
  REQUIRE(config.fit == Fit::kFirst);
  REQUIRE(config.devices == 1);
  REQUIRE(config.others.size() == 1);
  REQUIRE(config.others[0].name == "jupyter");
  REQUIRE(config.faults.size() == 1);
}

}  // namespace simgpu
