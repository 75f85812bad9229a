// SPDX-License-Identifier: Apache-2.0
// In what the operands of rejected cuDNN calls contradict each other, and in
// what they do not.
#include "analyzer/facts/derive/cudnn_conflicts.h"

#include "tests/catch_compat.h"

using inquest::facts::CudnnArgumentConflict;
using inquest::facts::CudnnConflict;
using inquest::facts::ReadCudnnWords;

namespace {

std::string Forward(std::string_view operation) {
  return CudnnConflict("cudnnConvolutionForward", operation);
}

std::string Graph(std::string_view operation) {
  return CudnnConflict("cudnnBackendFinalize", operation);
}

}  // namespace

TEST_CASE("the text of a layer as operands") {
  const auto layers = ReadCudnnWords(
      "convolution forward: x f16 8x64x56x56 nhwc, w f32 64x64x3x3, pad 1x1, "
      "stride 2x2; pointwise: mode relu fwd, x 8x-1 strides 4x1");
  REQUIRE(layers.size() == 2);
  CHECK(layers[0].operation == "convolution forward");
  CHECK(layers[0].operands[0].type == "f16");
  CHECK(layers[0].operands[1].dims == std::vector<int64_t>{64, 64, 3, 3});
  CHECK(layers[0].Find({"stride"})->dims == std::vector<int64_t>{2, 2});
  CHECK(layers[1].operands[0].name == "mode relu fwd");
  CHECK(layers[1].operands[1].dims == std::vector<int64_t>{8, -1});
  CHECK(layers[1].operands[1].strides == std::vector<int64_t>{4, 1});
}

TEST_CASE("operands that cannot be described") {
  const auto layers = ReadCudnnWords(
      "x not set (cudnnSetTensor4dDescriptor refused f32, n 8, c -3), "
      "w f32 64x3x3x3, y null");
  REQUIRE(layers[0].operands.size() == 3);
  CHECK(layers[0].operands[0].state == "not set");
  CHECK(layers[0].operands[0].remark ==
        "cudnnSetTensor4dDescriptor refused f32, n 8, c -3");
  CHECK(layers[0].operands[2].state == "null");
}

TEST_CASE("channels") {
  CHECK(Forward("x f32 8x48x56x56, w 64x64x3x3, pad 1x1, stride 1x1, "
                "y 8x64x56x56") == "x has 48 channels, w expects 64");
  CHECK(Forward("x f32 8x48x56x56, w 64x32x3x3, pad 1x1, stride 1x1, groups 2, "
                "y 8x64x56x56") ==
        "x has 48 channels, w expects 64 (32 in each of 2 groups)");
  CHECK(Forward("x f32 8x64x56x56, w 63x32x3x3, pad 1x1, stride 1x1, groups 2, "
                "y 8x63x56x56") ==
        "the 63 filters of w cannot be shared by 2 groups");
  CHECK(
      Graph("convolution forward: x f32 8x48x56x56, w f32 64x64x3x3, pad 1x1, "
            "stride 1x1, y f32 8x64x56x56") ==
      "x has 48 channels, w expects 64");
}

TEST_CASE("channels that fit") {
  CHECK(Forward("x f32 8x64x56x56, w 64x32x3x3, pad 1x1, stride 1x1, groups 2, "
                "y 8x64x56x56")
            .empty());
  // A graph's convolution tells its groups by the channels.
  CHECK(
      Graph("convolution forward: x f32 8x64x56x56, w f32 64x32x3x3, pad 1x1, "
            "stride 1x1, y f32 8x64x56x56")
          .empty());
  CHECK(Forward("x i8x4 8x48x56x56, w 64x64x3x3 vectors, pad 1x1, stride 1x1, "
                "y 8x64x56x56")
            .empty());
}

TEST_CASE("types, ranks and outputs") {
  CHECK(Forward("x f32 8x64x56x56, w f16 64x64x3x3, pad 1x1, stride 1x1, y f32 "
                "8x64x56x56") == "x is f32, w is f16");
  CHECK(Forward("x f32 8x64x56x56, w 64x64x3x3x3, pad 1x1, stride 1x1, y "
                "8x64x56x56") == "x has 4 dimensions, w has 5");
  CHECK(Forward("x f32 8x64x56x56, w 64x64x3x3, pad 1x1, stride 2x2, "
                "y 8x64x56x56") ==
        "y is 8x64x56x56, but x with w gives 8x64x28x28");
  CHECK(Forward("x f32 8x3x4x4, w 64x3x7x7, pad 1x1, stride 1x1, "
                "y 8x64x4x4") ==
        "the filter of w does not fit into x with its padding");
  CHECK(
      Graph("convolution forward: x f32 8x64x56x56, w f32 64x64x2x2, pad 0x0, "
            "stride 1x1, pad behind 1x1, y f32 8x64x56x56")
          .empty());
  // Other types may be mixed in a graph.
  CHECK(
      Graph("convolution forward: x f32 8x64x56x56, w f16 64x64x3x3, pad 1x1, "
            "stride 1x1, y f32 8x64x56x56")
          .empty());
}

TEST_CASE("the other directions") {
  CHECK(CudnnConflict("cudnnConvolutionBackwardFilter",
                      "x f32 8x48x56x56, dy 8x64x56x56, pad 1x1, stride 1x1, "
                      "dw 64x64x3x3") == "x has 48 channels, dw expects 64");
  CHECK(CudnnConflict("cudnnConvolutionBackwardData",
                      "w f32 64x64x3x3, dy 8x64x56x56, pad 1x1, stride 1x1, "
                      "dx 8x48x56x56") == "dx has 48 channels, w expects 64");
  CHECK(CudnnConflict("cudnnConvolutionBackwardBias",
                      "dy f32 8x64x56x56, db 1x48x1x1")
            .empty());
}

TEST_CASE("descriptors that cannot be used") {
  CHECK(
      Forward("x null, w f32 64x3x3x3, pad 1x1, stride 1x1, y f32 8x64x4x4") ==
      "x is null");
  CHECK(
      Forward("x f32 8x3x4x4, w destroyed, pad 1x1, stride 1x1, y 8x64x4x4") ==
      "w had been destroyed");
  CHECK(
      Forward("x not set (cudnnSetTensor4dDescriptor refused n 8, c -3), w f32 "
              "64x3x3x3") ==
      "x was not set (cudnnSetTensor4dDescriptor refused n 8, c -3)");
  CHECK(Forward("x unknown, w f32 64x3x3x3, pad 1x1, stride 1x1, y 8x64x4x4")
            .empty());
  CHECK(CudnnConflict("cudnnNormalizationForwardInference",
                      "x f32 8x3x4x4, z null, y 8x3x4x4")
            .empty());
}

TEST_CASE("sizes below zero") {
  CHECK(Graph("tensor f32 8x-3x4x4") == "tensor is 8x-3x4x4");
  CHECK(Graph("tensor f32 8x3x4x4 strides 48x16x4x-1") ==
        "tensor has the strides 48x16x4x-1");
  CHECK(Graph("convolution: pad 1x1, stride 0x1") == "stride is 0x1");
  CHECK(Graph("pointwise: mode softmax, axis -1, x f32 8x3x4").empty());
}

TEST_CASE("arguments of setters") {
  CHECK(CudnnArgumentConflict("cudnnSetTensor4dDescriptor",
                              {{"format", 0}, {"n", 8}, {"c", -3}}) ==
        "c is -3");
  CHECK(CudnnArgumentConflict("cudnnSetConvolution2dDescriptor",
                              {{"pad_h", 0}, {"u", 0}}) == "u is 0");
  CHECK(CudnnArgumentConflict("cudnnSetConvolution2dDescriptor",
                              {{"pad_h", 0}, {"u", 1}})
            .empty());
  CHECK(CudnnArgumentConflict("cudnnConvolutionForward", {{"n", 0}}).empty());
}

TEST_CASE("layers that must keep their shape") {
  CHECK(CudnnConflict("cudnnActivationForward",
                      "activation relu, x f32 8x64x56x56, y 8x64x28x28") ==
        "x is 8x64x56x56, y is 8x64x28x28");
  CHECK(CudnnConflict("cudnnPoolingForward",
                      "pool max 2x2, pad 0x0, stride 2x2, x f32 8x64x56x56, y "
                      "8x64x28x28")
            .empty());
  CHECK(
      CudnnConflict("cudnnRNNForward",
                    "cell lstm f16, algorithm standard, input 64, hidden 128, "
                    "layers 2, x f16 20x2x32, y 20x2x128") ==
      "x has vectors of 32, the RNN expects 64");
}
