// SPDX-License-Identifier: Apache-2.0
// Names that programs and libraries give to their ranges, from their sources.
#include "trace/records/step_names.h"

#include <string>

#include "tests/catch_compat.h"

using inquest::trace::BareRangeName;
using inquest::trace::KindOfRange;
using inquest::trace::RangeKind;

TEST_CASE("names of steps") {
  for (const char* name :
       {"step",
        "Step 12",
        "step_3",
        "Step::7",
        "train_step",
        "TRAIN_STEP 4",
        "trainStep",
        "ProfilerStep#3",
        "ProfilerStep#3, op_id = 90",
        "iteration12",
        "Iteration: 5",
        "iter 5",
        "paged_attn_iter_7",
        "Batch 0",
        "minibatch 3",
        "batch_17",
        "Epoch 2 Batch 9",
        "optimizer_step",
        "Optimizer.step#AdamW.step",
        "Trainer::TrainStep",
        "[pl][profile]run_training_batch",
        "steps 10-20",
        "DeepSpeedEngine.step",
        "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"}) {
    CAPTURE(name);
    CHECK(KindOfRange(name) == RangeKind::kStep);
  }
}

TEST_CASE("epochs are not steps") {
  for (const char* name : {"epoch 1", "Epoch::2", "train_epoch", "epochs"}) {
    CAPTURE(name);
    CHECK(KindOfRange(name) == RangeKind::kEpoch);
  }
}

TEST_CASE("operations of libraries are recognized by the form of their names") {
  for (const char* name :
       {"aten::add", "aten::_batch_norm_impl_index, seq = 5, op_id = 9",
        "aten::addmm, op_id = 320904", "NativeBatchNormBackward0",
        "AddmmBackward0, seq = 20, sizes = [[1, 2], [2]]", "ncclAllReduce",
        "nccl:all_reduce", "c10d::allreduce_", "cub::DeviceScan::ExclusiveSum",
        "cudnnConvolutionForward", "detach, op_id = 4"}) {
    CAPTURE(name);
    CHECK(KindOfRange(name) == RangeKind::kOperation);
  }
}

TEST_CASE("names that only contain the same letters are neither") {
  for (const char* name :
       {"", "forward", "backward", "criterion", "timestep embedding",
        "BatchNorm2d", "batch_norm", "BatchMatMulV2: dense", "stepping stone",
        "literal", "training", "Attention", "gemmStridedBatched", "é",
        "::", "microbatch 3", "depoch"}) {
    CAPTURE(name);
    CHECK(KindOfRange(name) == RangeKind::kOther);
  }
}

TEST_CASE("only the beginning of a long name is read, whatever its bytes") {
  const std::string far = std::string(5000, 'x') + " step";
  CHECK(KindOfRange(far) == RangeKind::kOther);
  CHECK(BareRangeName(far).size() == inquest::trace::kMaxNameLength);
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  CHECK(KindOfRange(bytes) == RangeKind::kOther);
  CHECK(BareRangeName("a, b, op_id = 7, sizes = []") == "a, b");
}
