// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/collect/said_pid.h"

#include "tests/catch_compat.h"

using namespace inquest;
using namespace inquest::findings;

TEST_CASE(
    "the number behind the word is the process's, however it is written") {
  CHECK(PidIn("Worker (pid:691) was sent code 139!") == 691);
  CHECK(PidIn("*** SIGSEGV (@0x0) received by PID 23299 (TID 0x7f) ***") ==
        23299);
  CHECK(PidIn("Process information: process  pid 540 thread  pid 540") == 540);
  CHECK(PidIn("  Local PID:  7720") == 7720);
  CHECK(PidIn("(EngineCore pid=59)") == 59);
}

TEST_CASE("several processes, parents and other numbers are nobody's") {
  CHECK(!PidIn("pid 12 was ended by pid 13"));
  CHECK(!PidIn("ppid 12"));
  CHECK(!PidIn("pid_max 4194304"));
  CHECK(!PidIn("rapid 12"));
  CHECK(!PidIn("pid 0x7f00"));
  CHECK(!PidIn("pid 1.5"));
  CHECK(!PidIn("pid 123456789"));
  CHECK(!PidIn("pid"));
}

TEST_CASE("a process that another figure names is not the finding's") {
  Finding finding;
  finding.evidence.push_back({});
  finding.evidence.back().text = "Sending process pid 4711 closing signal";
  finding.figures = {{"agent_pid", int64_t{4711}}};
  AddSaidPid(&finding);
  CHECK_FALSE(finding.figures.Contains("pid"));
  finding.figures = {{"victim_pid", int64_t{12}}};
  AddSaidPid(&finding);
  CHECK(finding.figures["pid"] == Figure(12));
  finding.figures = {};
  AddSaidPid(&finding);
  CHECK(finding.figures["pid"] == Figure(4711));
}
