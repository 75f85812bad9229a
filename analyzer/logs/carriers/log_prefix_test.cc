// SPDX-License-Identifier: Apache-2.0
#include "analyzer/logs/carriers/log_prefix.h"

#include <random>

#include "analyzer/logs/carriers/log_json.h"
#include "base/units.h"
#include "tests/catch_compat.h"

using namespace inquest;
using namespace inquest::ingest;

namespace {

Prefixed Strip(std::string_view line, const PrefixProfile& profile = {}) {
  return StripPrefixes(line, profile);
}

// "text | rank pid host", "-" for what is missing.
std::string Shown(const Prefixed& p) {
  const auto number = [](const std::optional<int64_t>& n) {
    return n ? std::to_string(*n) : std::string("-");
  };
  return std::string(p.text) + " | " + number(p.rank) + " " + number(p.pid) +
         " " + std::string(p.host.value_or("-"));
}

std::string Show(std::string_view line) {
  return Shown(Strip(line));
}

std::string Lines(std::initializer_list<const char*> lines) {
  std::string text;
  for (const char* line : lines) text += std::string(line) + "\n";
  return text;
}

}  // namespace

TEST_CASE("launchers") {
  CHECK(Show("[rank3]: Traceback") == "Traceback | 3 - -");
  CHECK(Show("[rank3]:x") == "x | 3 - -");
  CHECK(Show("[default3]:made up") == "made up | 3 - -");
  CHECK(Show("[rank: 3] x") == "x | 3 - -");
  CHECK(Show("| [rank3]: x") == "x | 3 - -");
  CHECK(Show("llama.D0 [stderr] [rank3]: x") == "x | 3 - -");
  CHECK(Show("llama.D0 [stdin] x") == "llama.D0 [stdin] x | - - -");
  CHECK(Show("| x | y |") == "| x | y | | - - -");
  CHECK(Show("[1,3]<stderr>:made up") == "made up | 3 - -");
  CHECK(Show("[1,mpirank:3,algo-1]<stdout>:made up") == "made up | 3 - algo-1");
  CHECK(Show("[prterun-node1-1234@1,3]<stdout>: x") == "x | 3 - -");
  CHECK(Show("Mon Feb  3 04:05:06 2031[1,3]<stderr>:x") == "x | 3 - -");
  CHECK(Show("(pid=1234) x") == "x | - 1234 -");
  CHECK(Show("(RayWorker pid=1234, ip=10.0.0.9) x") == "x | - 1234 10.0.0.9");
  CHECK(Show("(worker1, rank=1, pid=1234, ip=10.0.0.9) x") ==
        "x | - 1234 10.0.0.9");
  CHECK(Show("(Worker_TP3 pid=1234) ERROR 02-03 04:05:06 [e.py:42] x") ==
        "ERROR 02-03 04:05:06 [e.py:42] x | 3 1234 -");
  CHECK(Show("[pod/example-worker-3/main] x") == "x | - - example-worker-3");
  CHECK(Show("2031-02-03 04:05:06 [rank3]: x") == "x | 3 - -");
  CHECK(Show("[default2]:[rank10]: x") == "x | 10 - -");
  CHECK(Show("i.pretrain/0 [default2]:[rank10]: x") == "x | 10 - -");
  CHECK(Show("(VllmWorker rank=1 pid=99) x") == "x | 1 99 -");
  CHECK(Show("(EngineCore_DP0 pid=1234) x") == "x | - 1234 -");
  CHECK(Show("(Worker_DP0_TP2_EP2 pid=9) x") == "x | 2 9 -");
  CHECK(Show("(Worker_DP1_TP2 pid=9) x") == "x | - 9 -");
}

TEST_CASE("ranks in loggers' headers") {
  const auto rank = [](std::string_view line) { return Strip(line).rank; };
  CHECK(rank("[2031-02-03 04:05:06 TP3] x") == 3);
  CHECK(rank("[2031-02-03 04:05:06 DP0 TP3 EP3] x") == 3);
  CHECK(rank("[04:05:06 TP0] x") == 0);
  CHECK(rank("[TP1] x") == 1);
  // Another dimension multiplies it.
  CHECK_FALSE(rank("[2031-02-03 04:05:06 DP1 TP3] x"));
  CHECK_FALSE(rank("[2031-02-03 04:05:06] x"));
  CHECK(rank("[RANK 1] 2031-02-03 04:05:06,070 [ERROR] x") == 1);
  CHECK(rank("[rank 3] x") == 3);
  CHECK(rank("INFO:root:[Rank 3] x") == 3);
  CHECK(rank("2031-02-03 04:05:06 | INFO | [rank=2] x") == 2);
  CHECK(rank("[TRT-LLM] [RANK 5] [E] x") == 5);
  CHECK_FALSE(rank("[Frank 3] x"));
  CHECK_FALSE(rank("the rank 3] is"));
  const auto npu = Strip(
      "[ERROR] 2031-02-03-04:05:06 (PID:2654, Device:3, RankID:11) ERR02200 x");
  CHECK(npu.rank == 11);
  CHECK(npu.pid == 2654);
  CHECK(npu.device == 3);
  CHECK_FALSE(rank("[ERROR] 2031-02-03-04:05:06 (PID:1, Device:0, RankID:-1)"));
}

TEST_CASE("a rank within a process group is not the job's") {
  const auto sub = Strip(
      "[rank9]:[E113 04:05:06.07 P.cpp:42] [PG ID 5 PG GUID 55(mesh_replicate) "
      "Rank 1] x");
  CHECK(sub.rank == 9);
  CHECK(sub.group_rank == 1);
  const auto whole = Strip("[rank9]:[E P.cpp:42] [PG ID 0 PG GUID 0 Rank 9] x");
  CHECK(whole.rank == 9);
  CHECK_FALSE(whole.group_rank);
  // Where nothing else tells a rank, it is the best there is.
  CHECK(Strip("[E P.cpp:42] [PG ID 5 PG GUID 55(tp) Rank 1] x").rank == 1);
  // What an exception says of others is no header.
  CHECK_FALSE(Strip("[rank0]: RuntimeError: [Rank 3] x").group_rank);
}

TEST_CASE("loggers stay, what they say is read") {
  const auto c10 = Strip(
      "[rank3]:[E203 04:05:06.07 P.cpp:42] [PG ID 0 PG GUID 0(default_pg) Rank "
      "3] x");
  CHECK(c10.text.starts_with("[E203"));
  CHECK(c10.rank == 3);
  REQUIRE(c10.stamp.has_value());
  CHECK(c10.stamp->month == 2);
  CHECK(Strip("[E P.cpp:42] [Rank 5] x").rank == 5);
  // The logger's rank is the job's, the launcher's may be the node's.
  CHECK(Strip("[default3]:[E P.cpp:42] [Rank 11] x").rank == 11);
  CHECK(
      Strip("[ERROR] HCCL(12,python3):2031-02-03-04:05:06.07 [a.cc:1] x").pid ==
      12);
  CHECK(Show("node1:1234:1250 [0] NCCL INFO x") ==
        "node1:1234:1250 [0] NCCL INFO x | - 1234 node1");
  CHECK(Strip("[2031-02-03 04:05:06] n1:12:13 [0] m.cc:4 NCCL WARN x").pid ==
        12);
  const auto collected = Strip(
      "2031-02-03 04:05:06 [job-7-worker-1, unknown_ip] n1:12:13 [2] init.cc:4 "
      "NCCL WARN x");
  CHECK(collected.host == "n1");
  CHECK(collected.pid == 12);
  CHECK(collected.device == 2);
  CHECK(Strip("n1:12:13 [0] init.cc:4 NCCL WARN x").device == 0);
  const std::string ort =
      "[E:onnxruntime:Default] f failed ; GPU=3 ; hostname=";
  CHECK(Strip(ort + "n1 ; expr=f();").device == 3);
  CHECK(Strip(ort + "n1 ; expr=f();").host == "n1");
  CHECK_FALSE(Strip(ort + "; expr=f();").device);
  CHECK(Strip("n1:12:13 [1] include/socket.h:196 WARN x").host == "n1");
  CHECK_FALSE(Strip("box:12:13 [1,2] x").pid);
  const auto mpi = Strip("[node7:04711] *** Process received signal ***");
  CHECK(mpi.host == "node7");
  CHECK(mpi.pid == 4711);
  CHECK_FALSE(Strip("[epoch:12345] x").pid);
  CHECK_FALSE(Strip("n1:12:13 [0] bootstrap.cc:4 NCCL WARN x").device);
  CHECK_FALSE(Strip("[2031-02-03 04:05:06,070] [INFO] x [Rank -1] y").rank);
  CHECK_FALSE(Strip("My Rank 3] is").rank);
  CHECK(Strip("[7/train/8 (pid 1234)] [d0f1] 2031-02-03 ERROR x").pid == 1234);
  CHECK(Strip("EI0006: [PID: 1234] 2031-02-03-04:05:06.070 x").pid == 1234);
  CHECK(Strip(":1:f.cpp :117 : 88 us: [pid:1234 tid:0x14d] x").pid == 1234);
  CHECK(Strip("[pid=1234] x").pid == 1234);
  CHECK(Strip("PID 1234:  before the backward pass").pid == 1234);
  const auto viewer = Strip(
      "\xc2\xa0 | 2031-02-03T04:05:06.070Z | (_MapWorker pid=1234) ERROR x");
  CHECK(viewer.pid == 1234);
  CHECK(viewer.text == "ERROR x");
  CHECK(viewer.stamp.has_value());
  CHECK(Strip(" | 12 | 13 |").text == " | 12 | 13 |");
  CHECK_FALSE(Strip("PID 1234 was killed").pid);
  CHECK_FALSE(Strip("exitcode : 1 (pid: 1234)").pid);
  CHECK_FALSE(Strip("the pid 1234 of a worker").pid);
  CHECK_FALSE(Strip("worker (pid 1234) is killed by signal: Killed.").pid);
  CHECK_FALSE(Strip("[pids] 1234").pid);
}

TEST_CASE("JSON of loggers") {
  const auto line = UnwrapJsonLine(
      R"({"ts": 1927864506.5, "level": "error", "msg": "x failed", "rank": 3,)"
      R"( "pid": 12, "hostname": "node1", "step": 7, "loss": 0.25,)"
      R"( "exc_info": "Traceback:\n  File \"a.py\", line 1\nKeyError: 'b'"})");
  REQUIRE(line.has_value());
  CHECK(line->text ==
        "x failed\nTraceback:\n  File \"a.py\", line 1\nKeyError: 'b'\n"
        "loss=0.25 step=7");
  CHECK(line->rank == 3);
  CHECK(line->pid == 12);
  CHECK(line->host == "node1");
  CHECK(line->stamp->ns == 1927864506500000000);
  const auto ray = UnwrapJsonLine(
      R"({"message":"x","pid":"65","rank":"3","host_name":"node1"})");
  CHECK(ray->pid == 65);
  CHECK(ray->rank == 3);
  CHECK(ray->host == "node1");
  CHECK_FALSE(UnwrapJsonLine(R"({"message":"x","process":"Main-1"})")->pid);
  const auto time = [](const std::string& value) {
    const auto one = UnwrapJsonLine("{\"log\":\"x\",\"date\":" + value + "}");
    return one && one->stamp ? one->stamp->ns : 0;
  };
  CHECK(time("1927864506") == 1927864506000000000);
  CHECK(time("1927864506070") == 1927864506070000000);
  CHECK(time("1927864506070809") == 1927864506070809000);
  CHECK(time("12") == 0);
  CHECK(time("1e300") == 0);
  CHECK(time("-5") == 0);
  const auto cloud = UnwrapJsonLine(
      R"({"textPayload":"x\n","timestamp":"2031-02-03T04:05:06.07Z"})");
  CHECK(cloud->text == "x");
  CHECK(cloud->stamp->year == 2031);
}

TEST_CASE("the kernel and syslog") {
  const auto raw = Strip("[  123.456789] NVRM: Xid");
  CHECK(raw.text == "NVRM: Xid");
  CHECK(raw.kernel);
  CHECK(raw.boot_ns == 123456789000);
  CHECK(Strip("[  123.456789][ T1234] x").text == "x");
  CHECK(Strip("[  123.456789 <    0.000012>] x").text == "x");
  CHECK(Strip("[Mon Feb  3 04:05:06 2031] x").text == "x");
  CHECK(Strip("[Mon Feb  3 04:05:06 2031] x").kernel);
  CHECK(Strip("[  +0.000316] x").kernel);
  CHECK(Strip("[  +0.000316] x").text == "x");
  CHECK(Strip("2031-02-03T04:05:06,070809+00:00 x").kernel);
  CHECK(Strip("kern  :warn  : [  123.456789] x").text == "x");
  CHECK(Strip("4,1234,123456789,-;x").text == "x");
  CHECK(Strip("4,1234,123456789,-;x").boot_ns == 123456789000);
  CHECK(Strip("<4>[  123.456789] x").text == "x");
  const auto syslog =
      Strip("Feb  3 04:05:06 node1 kernel: [  123.456789] NVRM: Xid");
  CHECK(Shown(syslog) == "NVRM: Xid | - - node1");
  CHECK(syslog.kernel);
  CHECK(syslog.boot_ns == 123456789000);
  CHECK(syslog.stamp->month == 2);
  CHECK(Show("Feb  3 04:05:06 node1 slurmd[77]: error: x") ==
        "slurmd[77]: error: x | - 77 node1");
  CHECK(Show("2031-02-03T04:05:06+0000 node1 kernel: x") == "x | - - node1");
  CHECK(Show("Mon 2031-02-03 04:05:06 UTC node1 kernel: x") == "x | - - node1");
  CHECK(Show("[  123.456789] node1 kernel: x") == "x | - - node1");
  CHECK(Show("<4>1 2031-02-03T04:05:06.070809Z node1 kernel - - - x") ==
        "x | - - node1");
}

TEST_CASE("grep prints the name of the file first") {
  const std::string line =
      "messages:Jun 17 20:18:08 node1 kernel: INFO: task a:7 blocked";
  CHECK(Strip(line).text == "INFO: task a:7 blocked");
  CHECK(Strip(line).kernel);
  CHECK(Strip("error:Jun is a month").text == "error:Jun is a month");
}

TEST_CASE("containers") {
  const auto full = Strip("2031-02-03T04:05:06.07Z stderr F x y");
  CHECK(full.text == "x y");
  CHECK_FALSE(full.partial);
  CHECK(full.stamp->clock == LogStamp::Clock::kUtc);
  CHECK(Strip("2031-02-03T04:05:06.07Z stdout P x").partial);
  CHECK(Strip("2031-02-03T04:05:06.0708090Z x").text == "x");
  // Two words and a colon are no host and tag.
  CHECK(Strip("2031-02-03T04:05:06Z Some error: y").text == "Some error: y");
}

TEST_CASE("prefixes nest") {
  CHECK(Show("2031-02-03T04:05:06.07Z stderr F [rank3]: x") == "x | 3 - -");
  CHECK(Show("[pod/w-1/main] 2031-02-03T04:05:06.07Z [rank3]: x") ==
        "x | 3 - w-1");
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "[rank1]:";
  CHECK(Strip(many).text.size() > 7000);  // bounded, the rest stays
}

TEST_CASE("text that only looks like a prefix stays") {
  for (const char* line : {"[3] text",
                           "3: text",
                           "worker-1: text",
                           "a | b",
                           "(see pid=) x",
                           "(no) x",
                           "[info] x",
                           "[rank]: x",
                           "[1,2] x",
                           "{\"a\": 1}",
                           "<b> x",
                           "Maybe it",
                           "Mon",
                           "[123.45] x",
                           "      2 x",
                           "12,13 x",
                           "",
                           " ",
                           "[",
                           "(",
                           "<",
                           "kern",
                           "[W x"}) {
    CAPTURE(line);
    CHECK(Strip(line).text == line);
  }
}

TEST_CASE("labels count where most lines carry them") {
  PrefixProfile p =
      ProfileOf(Lines({"0: a", "1: b", "0: c", "1: d", "0: e", "1: f"}));
  CHECK(p.srun_label);
  CHECK(StripPrefixes("1: Traceback", p).rank == 1);
  CHECK(ProfileOf(Lines({"201:", "201: a", "202:", "202: b", "201: c", "203: d",
                         "203:", "202: e", "203: f"}))
            .srun_label);
  // A numbered list does not repeat its numbers.
  CHECK_FALSE(ProfileOf(Lines({"1: a", "2: b", "3: c", "4: d"})).srun_label);
  p = ProfileOf(Lines({"n1: a", "n1: b", "n1: c", "n1: d", "x"}));
  CHECK(p.pdsh_host == false);  // too short for a host
  p = ProfileOf(Lines({"node1: a", "node2: b", "node1: c", "node2: d",
                       "node1: e", "node2: f"}));
  CHECK(p.pdsh_host);
  CHECK(Shown(StripPrefixes("node2: [rank3]: x", p)) == "x | 3 - node2");
  CHECK(StripPrefixes("node2: EI0002: x", p).text == "EI0002: x");
  p = ProfileOf(Lines({"trainer-1  | a", "trainer-1  | b", "trainer-1  | c"}));
  CHECK(p.compose);
  CHECK(StripPrefixes("trainer-1  | x", p).text == "x");
  p = ProfileOf(Lines({"[0] a", "[1] b", "[0] c", "[1] d", "[0] e", "[1] f"}));
  CHECK(p.mpich_rank);
  CHECK(StripPrefixes("[1] x", p).rank == 1);
  p = ProfileOf(Lines(
      {"job/0 a", "job/1 b", "job/0 c", "job/1 d", "job/0 e", "job/1 f"}));
  CHECK(p.replica);
  CHECK(StripPrefixes("job/1 x", p).text == "x");
}

TEST_CASE("what is quoted in an issue is read without its marks") {
  const std::string text =
      Lines({"> Thread 12 (idle): \"MainThread\"", ">     step (train.py:3)",
             ">", "> Thread 13 (idle)"});
  const PrefixProfile profile = ProfileOf(text);
  CHECK(profile.quote);
  CHECK(Strip(">     step (train.py:3)", profile).text ==
        "    step (train.py:3)");
  CHECK(Strip(">", profile).text.empty());
  CHECK_FALSE(
      ProfileOf(Lines({"> npm run train", "step 1", "step 2", "step 3"}))
          .quote);
}

TEST_CASE("labels nest: uniq -c over ranks") {
  const auto p = ProfileOf(Lines({"      2 [rank0]: a", "     14 [rank1]: b",
                                  "      1 [rank0]: c", "      1 [rank1]: d"}));
  CHECK(p.uniq_count);
  CHECK(Shown(StripPrefixes("      2 [rank1]: x", p)) == "x | 1 - -");
}

TEST_CASE("kinds of logs") {
  CHECK(ProfileOf(Lines({"[  1.000000] a", "[  2.000000] b"})).kernel);
  CHECK(ProfileOf(Lines({"Feb  3 04:05:06 n kernel: a"})).kernel);
  CHECK_FALSE(ProfileOf(Lines({"2031-02-03 04:05:06 a", "[  1.000000] b",
                               "2031-02-03 04:05:07 c"}))
                  .kernel);
  CHECK_FALSE(ProfileOf("").kernel);
  CHECK(ProfileOf(Lines({"2031-02-03T04:05:06Z stdout F a"})).cri);
  CHECK(ProfileOf("{\"log\":\"a\\n\",\"stream\":\"stdout\"}\n").json_lines);
}

TEST_CASE("JSON around lines") {
  const auto docker = UnwrapJsonLine(
      R"({"log":"made \u001b[31mup\n","stream":"stderr","time":"2031-02-03T04:05:06.07Z"})");
  REQUIRE(docker.has_value());
  CHECK(docker->text == "made \x1b[31mup");
  CHECK_FALSE(docker->partial);
  CHECK(docker->stamp->year == 2031);
  CHECK(UnwrapJsonLine(R"({"log":"half","stream":"x"})")->partial);
  const auto journal = UnwrapJsonLine(
      R"({"MESSAGE":[104,105],"__REALTIME_TIMESTAMP":"1927864506070809","_HOSTNAME":"node1","_TRANSPORT":"kernel"})");
  REQUIRE(journal.has_value());
  CHECK(journal->text == "hi");
  CHECK(journal->host == "node1");
  CHECK(journal->kernel);
  CHECK(journal->stamp->ns == 1927864506070809000);
  CHECK_FALSE(UnwrapJsonLine(R"({"log":"cut off)").has_value());
  CHECK_FALSE(UnwrapJsonLine(R"({"loss": 1.5})").has_value());
  CHECK_FALSE(UnwrapJsonLine(R"({"message": {"a": 1}})").has_value());
  CHECK_FALSE(
      UnwrapJsonLine("{\"log\":\"" + std::string(100000, '[')).has_value());
}

TEST_CASE("a line may be pasted as code") {
  CHECK(StripPrefixes("`RuntimeError: shape is invalid`", {}).text ==
        "RuntimeError: shape is invalid");
  for (const char* other : {"```", "``", "`a` and `b`", "`a", "a`", "`"}) {
    CHECK(StripPrefixes(other, {}).text == other);
  }
}

TEST_CASE("random lines do no harm") {
  std::mt19937 random(9);
  const std::string alphabet = "[](){}<>:,;| 0123rankpidFeb\"TZ-.\x1b\xff";
  PrefixProfile all;
  all.srun_label = all.mpich_rank = all.pdsh_host = all.compose = true;
  all.uniq_count = all.cri = all.replica = true;
  for (int round = 0; round < 100000; ++round) {
    std::string line;
    for (size_t i = random() % 50; i > 0; --i) {
      line += alphabet[random() % alphabet.size()];
    }
    const auto out = StripPrefixes(line, all);
    if (!line.ends_with(out.text)) CHECK(out.text == line);
    UnwrapJsonLine(line);
  }
}
