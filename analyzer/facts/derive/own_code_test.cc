// SPDX-License-Identifier: Apache-2.0
// Whose code a frame is.
#include "analyzer/facts/derive/own_code.h"

#include "tests/catch_compat.h"

using inquest::facts::IsOwnCode;

TEST_CASE("frames of one's own code") {
  for (const char* file :
       {"train.py", "/home/u/project/loop.py", "C:\\work\\train.py",
        "H:\\pose\\lib\\core\\function.py", "/workspace/torch_model/net.py",
        "<ipython-input-3-0a1b2c>"}) {
    CAPTURE(file);
    CHECK(IsOwnCode(file));
  }
}

TEST_CASE("frames of Python, of packages, and of nobody") {
  for (const char* file :
       {"", "<frozen runpy>", "<string>", "/usr/lib/python3.11/threading.py",
        "/opt/conda/lib/python3.10/site-packages/torch/nn/modules/module.py",
        "/usr/local/lib/python3.8/dist-packages/tensorflow/api.py",
        "/home/u/pytorch/torch/cuda/__init__.py", "C:\\Python\\lib\\runpy.py",
        "C:\\Python\\lib\\multiprocessing\\spawn.py",
        "/home/u/src/deepspeed/runtime/pipe/engine.py",
        "sklearn/tree/_tree.pyx",
        "/home/u/.cache/bazel/bin/train.runfiles/main/train.py"}) {
    CAPTURE(file);
    CHECK_FALSE(IsOwnCode(file));
  }
}
