// SPDX-License-Identifier: Apache-2.0
#include "analyzer/facts/derive/traceback_place.h"

#include "tests/catch_compat.h"

using inquest::facts::LogFrame;
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
