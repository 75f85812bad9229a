// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/redact/redactor.h"

#include "tests/catch_compat.h"

namespace inquest::report {
namespace {

std::string Once(std::string_view text) {
  Redactor redactor;
  redactor.Learn(text);
  return redactor.Redacted(text);
}

TEST_CASE("names are replaced where their surroundings tell them") {
  CHECK(Once("hostname: gaudi7") == "hostname: HOST-1");
  CHECK(Once("gaudi:12:13 [0] NCCL INFO x") == "HOST-1:12:13 [0] NCCL INFO x");
  CHECK(Once("JOB 7 ON gaudi CANCELLED AT") == "JOB 7 ON HOST-1 CANCELLED AT");
  CHECK(Once("user=annika failed") == "user=USER-1 failed");
  CHECK(Once("mail to a.b@uni-x.edu") == "mail to MAIL-1");
  CHECK(Once("at 10.1.2.3:29500") == "at IP-1:29500");
  CHECK(Once("at [fe80::1:2]") == "at [IP-1]");
  CHECK(Once("to https://git.corp.com/x/y?z") == "to https://HOST-1/…");
}

TEST_CASE("a host is known by the port behind it") {
  CHECK(Once("connect from 10.1.2.3<4567> to gpu-node-19<4242> failed") ==
        "connect from IP-1<4567> to HOST-1<4242> failed");
  CHECK(Once("torchrun --rdzv_endpoint=gpu-node-20:29400") ==
        "torchrun --rdzv_endpoint=HOST-1:29400");
  CHECK(Once("--coordinator_address gpu7:1234 ") ==
        "--coordinator_address HOST-1:1234 ");
  for (const char* text : {"called from train_2.cu:1234", "from 3 to half2<16>",
                           "in kernel2<128>", "by step:20000"}) {
    CHECK(Once(text) == text);
  }
}

TEST_CASE("colours hide no name, and are taken out") {
  CHECK(Once("host=\x1b[31mgaudi7\x1b[0m failed") == "host=HOST-1 failed");
  CHECK(Once("\x1b[1;38:5:9m/home/annika/p/a.py") == "DIR-1/a.py");
}

TEST_CASE("of a path the name of the file stays") {
  CHECK(Once("/home/annika/p/train.py:61 in main") ==
        "DIR-1/train.py:61 in main");
  CHECK(Once("\"/home/annika/v/lib/python3.11/site-packages/torch/x.py\"") ==
        "\"DIR-1/site-packages/torch/x.py\"");
  CHECK(Once("in /home/annika.py") == "in DIR-1");
  CHECK(Once("cd runs/annika/a.log") == "cd DIR-1/a.log");
  CHECK(Once("/usr/lib/x86_64-linux-gnu/libc.so.6") ==
        "/usr/lib/x86_64-linux-gnu/libc.so.6");
}

TEST_CASE("what a diagnosis needs stays as it is") {
  for (const char* text :
       {"cuDNN version 9.26.0.51", "libcudnn.so.9 9.26.0.51", "12:30:45",
        "0000:3b:00.0", "memory/fragmentation", "c10::cuda::impl", "2.5 GiB/s",
        "torch.nn.functional", "127.0.0.1", "../aten/src/ATen/x.cu:93",
        "memcpy@GLIBC_2.14", "host memory", "rank 3 of 8"}) {
    CHECK(Once(text) == text);
  }
}

TEST_CASE("one name has one token, and a redacted text stays as it is") {
  Redactor redactor;
  const std::string text =
      "hostname: gaudi7 Serial Number: 123456789 gaudi7.corp.com "
      "/home/ann/x.py";
  redactor.Learn(text);
  const std::string once = redactor.Redacted(text);
  CHECK(once == "hostname: HOST-1 Serial Number: SERIAL-1 HOST-1 DIR-1/x.py");
  CHECK(redactor.Redacted(once) == once);
  CHECK(redactor.Redacted("seen on GAUDI7") == "seen on HOST-1");
}

}  // namespace
}  // namespace inquest::report
