// SPDX-License-Identifier: Apache-2.0
#include "analyzer/facts/derive/traceback_place.h"

#include "tests/catch_compat.h"

using inquest::facts::HidesFrames;
using inquest::facts::LogFrame;
using inquest::facts::OnlyCall;
using inquest::facts::PhaseOf;
using inquest::facts::PlaceOf;

namespace {

LogFrame Frame(std::string file, int64_t line, std::string function) {
  LogFrame frame;
  frame.file = std::move(file);
  frame.file_line = line;
  frame.function = std::move(function);
  return frame;
}

}  // namespace

TEST_CASE("the place is the innermost own frame, and what it called") {
  const std::vector<LogFrame> frames = {
      Frame("/home/u/train.py", 9, "<module>"),
      Frame("/home/u/train.py", 745, "save_checkpoint"),
      Frame("/x/site-packages/torch/distributed/c10d_logger.py", 81, "wrapper"),
      Frame("/x/site-packages/torch/distributed/distributed_c10d.py", 4556,
            "barrier")};
  CHECK(PlaceOf(frames) ==
        "save_checkpoint (train.py:745), which called barrier");
  CHECK(PhaseOf(frames) == "checkpoint");
  CHECK(PlaceOf({frames[0]}) == "train.py:9");
}

TEST_CASE("a function that calls its namesake is told with where that led") {
  const std::string trainer = "/x/site-packages/transformers/trainer.py";
  CHECK(PlaceOf({Frame("tune.py", 309, "train"), Frame(trainer, 1537, "train"),
                 Frame(trainer, 1864, "_inner_training_loop")}) ==
        "train (tune.py:309), which led to _inner_training_loop "
        "(trainer.py:1864)");
  CHECK(PlaceOf({Frame("tune.py", 309, "train"),
                 Frame(trainer, 1537, "train")}) == "train (tune.py:309)");
}

TEST_CASE("what another process met was met elsewhere") {
  CHECK_FALSE(PlaceOf({Frame("/src/vllm/vllm/v1/engine/core_client.py", 885,
                             "get_output_async")}));
  CHECK_FALSE(PlaceOf({Frame("/home/u/serve.py", 8, "main"),
                       Frame("/x/vllm/v1/executor/multiproc_executor.py", 434,
                             "get_response")}));
}

TEST_CASE("a signal's handler is not where the program was") {
  const LogFrame own = Frame("/home/u/serve.py", 8, "main");
  const LogFrame poll =
      Frame("/usr/lib/python3.11/selectors.py", 416, "select");
  const LogFrame handler =
      Frame("/x/site-packages/server/entry.py", 7, "Server.signal_handler");
  CHECK(PlaceOf({own, poll, handler}) ==
        "main (serve.py:8), which called select");
  CHECK_FALSE(PlaceOf({poll, handler}));
}

TEST_CASE("a line of source names its call, where it is one") {
  CHECK(OnlyCall("    net.load_weights(path)") == "load_weights");
  CHECK(OnlyCall("history = net.fit(x, y, epochs=3)") == "fit");
  CHECK(OnlyCall("net.fit(load(x))").empty());
  CHECK(OnlyCall("x = a + b").empty());
  CHECK(HidesFrames(
      Frame("/x/keras/utils/traceback_utils.py", 70, "error_handler")));
  CHECK_FALSE(HidesFrames(Frame("/home/u/serve.py", 7, "error_handler")));
}

TEST_CASE("without own code it is the innermost frame outside the core") {
  CHECK(PlaceOf(
            {Frame("/x/site-packages/vllm/unquant.py", 41, "create_weights"),
             Frame("/x/site-packages/torch/utils/_device.py", 106,
                   "__torch_function__")}) == "create_weights (unquant.py:41)");
  CHECK(PlaceOf({Frame("/usr/local/bin/vllm", 8, "<module>"),
                 Frame("/x/dist-packages/vllm/scripts.py", 9, "main")}) ==
        "main (scripts.py:9)");
  CHECK_FALSE(PlaceOf({Frame("/usr/lib/python3.12/threading.py", 3, "run")}));
  CHECK_FALSE(PhaseOf({Frame("/usr/lib/python3.12/threading.py", 3, "run")}));
}

TEST_CASE("a frame of C++ in Python's form has no arguments") {
  CHECK(PlaceOf({Frame("/workspace/csrc/prefill.cu", 330,
                       "PrefillRun(tvm::ffi::TensorView, "
                       "tvm::ffi::Optional<tvm::ffi::Tensor>)::<lambda()>")}) ==
        "PrefillRun (prefill.cu:330)");
}

TEST_CASE("a file that a compiler wrote is no place") {
  const LogFrame mine = Frame("/home/u/train.py", 8, "main");
  const LogFrame real =
      Frame("/x/site-packages/vllm/flex_attention.py", 82, "forward");
  const LogFrame torch =
      Frame("/x/site-packages/torch/_inductor/graph.py", 2, "compile_to_mod");
  for (const char* file :
       {"/tmp/torchinductor_root/ra/crakr3.py", "/x/.triton/cache/ab/k.py",
        "/home/u/.cache/vllm/torch_compile_cache/c/r.py", "/tmp/tmpab1_x.py",
        "/tmp/__autograph_generated_filea1b2.py", "<string>",
        "<frozen importlib._bootstrap>", "<eval_with_key>.4"}) {
    CAPTURE(file);
    const LogFrame written = Frame(file, 42, "call");
    CHECK(PlaceOf({real, torch, written}) ==
          "forward (flex_attention.py:82), which called compile_to_mod");
    CHECK(PlaceOf({mine, torch, written}) ==
          "main (train.py:8), which called compile_to_mod");
    CHECK_FALSE(PlaceOf({written}));
  }
  // Every package has one.
  CHECK(PlaceOf({Frame("/x/site-packages/a/score/__init__.py", 4, "f")}) ==
        "f (score/__init__.py:4)");
  // What lies there may be a program's own.
  CHECK(PlaceOf({Frame("/tmp/ipykernel_17/31.py", 4, "f")}) == "f (31.py:4)");
  CHECK(PlaceOf({Frame("/tmp/tmpab1/train.py", 4, "f")}) == "f (train.py:4)");
}

TEST_CASE("a warm-up at the start is no forward pass of the program") {
  const LogFrame forward = Frame("/x/vllm/v1/sample/sampler.py", 49, "forward");
  for (const char* name : {"_dummy_sampler_run", "_dummy_run", "profile_run"}) {
    CHECK(PhaseOf({Frame("/x/vllm/v1/w.py", 1, name), forward}) == "engine");
  }
  CHECK(PhaseOf({Frame("/x/vllm/v1/w.py", 1, "capture_model"),
                 Frame("/x/vllm/v1/w.py", 9, "_dummy_run"), forward}) ==
        "capture");
  CHECK(PhaseOf({Frame("/x/sglang/srt/w.py", 1, "warmup"), forward}) ==
        "engine");
  CHECK(PhaseOf({Frame("/home/u/train.py", 1, "warmup"), forward}) ==
        "forward");
}

TEST_CASE(
    "moving a model to its card is loading, setting up a trainer is not") {
  CHECK(PhaseOf({Frame("/x/transformers/trainer.py", 481, "__init__"),
                 Frame("/x/torch/nn/modules/module.py", 1100, "to")}) ==
        "loading");
  CHECK_FALSE(PhaseOf({Frame("/x/trl/trainer/sft_trainer.py", 9, "__init__")}));
  CHECK_FALSE(PhaseOf({Frame("/home/u/trainer.py", 9, "__init__")}));
}

TEST_CASE("code of a framework is no place, on Windows neither") {
  CHECK_FALSE(PlaceOf({Frame(R"(C:\py\lib\site-packages\chainer\_backprop.py)",
                             226, "_backprop_to_all")}));
  CHECK_FALSE(
      PlaceOf({Frame("/x/site-packages/paddle/fft.py", 1439, "fft_r2c")}));
  CHECK(PlaceOf({Frame("/x/site-packages/paddleaudio/kaldi.py", 468, "fbank"),
                 Frame("/x/site-packages/paddle/fft.py", 324, "rfft")}) ==
        "fbank (kaldi.py:468), which called rfft");
}

TEST_CASE("who only brings the news of an error is no place of it") {
  CHECK_FALSE(PlaceOf({Frame("/x/site-packages/requests/models.py", 1021,
                             "raise_for_status")}));
  CHECK_FALSE(PlaceOf({Frame("/home/u/train.py", 9, "main"),
                       Frame("/x/site-packages/batchgenerators/threads.py", 103,
                             "results_loop")}));
  CHECK(PlaceOf({Frame("/x/site-packages/trainer/run.py", 9, "start"),
                 Frame("/x/vllm/worker/worker_base.py", 137,
                       "execute_method")}) == "start (run.py:9)");
}
