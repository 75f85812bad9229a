// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/collect/canonical.h"

#include "tests/catch_compat.h"

using namespace inquest;
using namespace inquest::findings;

namespace {

std::string Canonical(const char* name, const Figure& value) {
  Figures figures = {{name, value}};
  AddCanonicalForms(&figures);
  return JsonText(figures[name]);
}

}  // namespace

TEST_CASE("versions are dotted numbers, beside the logged value") {
  CHECK(Canonical("cudnn_runtime", "8204") == R"(["8.2.4","8204"])");
  CHECK(Canonical("cudnn_compiled", 90100) == R"(["9.1.0",90100])");
  CHECK(Canonical("cudnn_runtime", "(8, 2, 4)") == R"("8.2.4")");
  CHECK(Canonical("cuda", "11060") == R"(["11.6","11060"])");
  CHECK(Canonical("cuda", "10010") == R"(["10.1","10010"])");
  CHECK(Canonical("cuda", "12.1.") == R"("12.1")");
  CHECK(Canonical("nccl_version", "21903") == R"(["2.19.3","21903"])");
  CHECK(Canonical("driver", "570.86.15.") == R"("570.86.15")");
  CHECK(Canonical("driver", "570") == R"("570")");
  CHECK(Canonical("cuda_visible_devices", "0,1") == R"("0,1")");
  CHECK(Canonical("cuda", Figure::List{"11.6", "11060"}) ==
        R"(["11.6","11060"])");
}

TEST_CASE("sentences have the dotted form alone") {
  const Figures figures = WithDottedVersions(
      {{"driver_cuda", 10010}, {"cudnn_runtime", "(8, 2, 4)"}, {"rank", 3}});
  CHECK(figures["driver_cuda"] == Figure("10.1"));
  CHECK(figures["cudnn_runtime"] == Figure("8.2.4"));
  CHECK(figures["rank"] == Figure(3));
}

TEST_CASE("what a line says of two ranks or builds is a list") {
  Figures figures = {{"rank", 1},
                     {"other_rank", 7},
                     {"cuda", "12.0"},
                     {"other_cuda", "11.8"},
                     {"other_optype", "REDUCE"}};
  AddCanonicalForms(&figures);
  CHECK(JsonText(figures["rank"]) == "[1,7]");
  CHECK(JsonText(figures["cuda"]) == R"(["12.0","11.8"])");
  CHECK_FALSE(figures.Contains("optype"));
}

TEST_CASE("names and numbers of one error") {
  CHECK(Canonical("cuda_error", "misaligned address") ==
        R"(["misaligned address","cudaErrorMisalignedAddress",716])");
  CHECK(Canonical("cuda_error", "CUDA_ERROR_ILLEGAL_ADDRESS") ==
        R"(["CUDA_ERROR_ILLEGAL_ADDRESS",700])");
  CHECK(Canonical("cuda_error", 2) == R"([2,"cudaErrorMemoryAllocation"])");
  // 4 was a failed launch until CUDA 10.0 and is a shutdown now.
  CHECK(Canonical("cuda_error", 4) == "4");
  CHECK(Canonical("cudnn_status", "CUDNN_STATUS_NOT_SUPPORTED") ==
        R"(["CUDNN_STATUS_NOT_SUPPORTED",9,3000])");
  CHECK(Canonical("cudnn_status", "3000") ==
        R"(["3000","CUDNN_STATUS_NOT_SUPPORTED"])");
  CHECK(Canonical("signal", "SIGSEGV") == R"(["SIGSEGV",11])");
  CHECK(Canonical("signal", 11) == R"([11,"SIGSEGV"])");
  CHECK(Canonical("signal", "Bus error") == R"(["Bus error","SIGBUS",7])");
  // Its last word is no number of a signal.
  CHECK(Canonical("signal", "User defined signal 2") ==
        R"(["User defined signal 2","SIGUSR2",12])");
  CHECK(Canonical("signal", "some day") == R"("some day")");
}

TEST_CASE("an exit code that stands for a signal names it") {
  Figures figures = {{"exitcode", -11}};
  AddCanonicalForms(&figures);
  CHECK(JsonText(figures["signal"]) == R"(["SIGSEGV",11])");
  figures = {{"exitcode", 137}};
  AddCanonicalForms(&figures);
  CHECK(JsonText(figures["signal"]) == R"(["SIGKILL",9])");
  for (const int64_t code : {0, 1, 128, 145, 255, -99}) {
    figures = {{"exitcode", code}};
    AddCanonicalForms(&figures);
    CHECK_FALSE(figures.Contains("signal"));
  }
}
