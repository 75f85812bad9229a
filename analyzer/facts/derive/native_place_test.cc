// SPDX-License-Identifier: Apache-2.0
#include "analyzer/facts/derive/native_place.h"

#include "tests/catch_compat.h"

namespace inquest::facts {
namespace {

NativeFrame In(std::string library, std::string function) {
  NativeFrame frame;
  frame.library = std::move(library);
  frame.function = std::move(function);
  return frame;
}

TEST_CASE("a function's name without arguments and template parameters") {
  CHECK(PlainFunction(
            "ft::GlmDecoder<__half>::forward(std::vector<int>*) const") ==
        "ft::GlmDecoder::forward");
  CHECK(PlainFunction("void mshadow::Copy<gpu, cpu, 1, float>(Tensor<gpu>)") ==
        "mshadow::Copy");
  CHECK(PlainFunction("_ZN5mxnet7ndarray4CopyEv") == "mxnet::ndarray::Copy");
  CHECK(PlainFunction("gs::(anonymous namespace)::Render(int)") ==
        "gs::Render");
  CHECK(PlainFunction("run::{lambda()#1}::operator()() const") == "run");
  CHECK(PlainFunction("cudaStreamSynchronize") == "cudaStreamSynchronize");
}

TEST_CASE("the innermost frame of the program is the place") {
  const std::string torch = "/x/torch/lib/libtorch_cuda.so";
  const NativeFrame error =
      In("/x/libc10.so", "c10::Error::Error(c10::SourceLocation)");
  const NativeFrame check =
      In("/x/libc10_cuda.so", "c10::cuda::c10_cuda_check_implementation(int)");
  const NativeFrame index = In(torch, "at::native::index_out(at::Tensor&)");
  const NativeFrame own = In("/home/u/render", "gs::Render(at::Tensor&)");
  const NativeFrame libc = In("/lib/libc.so.6", "clone + 0x44");
  CHECK(PlaceOfNative({error, check, index, own, libc}) ==
        "gs::Render (render), which called at::native::index_out");
  CHECK(PlaceOfNative({error, check, index, libc}) ==
        "at::native::index_out (libtorch_cuda.so)");
  CHECK_FALSE(PlaceOfNative({error, check, libc}));
  const NativeFrame unknown = In(torch, "<unknown function>");
  CHECK(PlaceOfNative({error, unknown, index, libc}) ==
        "at::native::index_out (libtorch_cuda.so)");
  NativeFrame line = In("", "gs::Render(int)");
  line.file = "/home/u/src/render.cpp";
  line.file_line = 44;
  CHECK(PlaceOfNative({error, line}) == "gs::Render (render.cpp:44)");
}

TEST_CASE("a watchdog and the interpreter are no place") {
  CHECK_FALSE(PlaceOfNative(
      {In("/x/libtorch_cuda.so", "c10d::ProcessGroupNCCL::Watchdog::run()"),
       In("/x/libstdc++.so.6", "<unknown function>"),
       In("/x/bin/python3.10", "_PyEval_EvalFrameDefault"),
       In("/x/libpython3.10.so.1.0", "something")}));
}

TEST_CASE("the frame that a signal makes is no place") {
  CHECK(PlaceOfNative({In("", "killpg()"), In("", "Model::Share(int)")}) ==
        "Model::Share");
}

TEST_CASE("a wait in the C library is its caller's") {
  NativeFrame yield = In("", "sched_yield ()");
  yield.file = "../sysdeps/unix/syscall-template.S";
  yield.file_line = 120;
  NativeFrame main = In("", "main ()");
  main.file = "train.cpp";
  main.file_line = 13;
  const NativeFrame wait =
      In("/usr/lib/libze_intel_gpu.so.1", "L0::Event::synchronize(unsigned)");
  CHECK(PlaceOfNative({yield, wait, main}) ==
        "main (train.cpp:13), which called L0::Event::synchronize");
  main.file.clear();
  CHECK(PlaceOfNative({yield, wait, main}) ==
        "L0::Event::synchronize (libze_intel_gpu.so.1)");
}

}  // namespace
}  // namespace inquest::facts
