// SPDX-License-Identifier: Apache-2.0
#include "analyzer/rules/signatures/common_pieces.h"

#include <array>
#include <string_view>

#include "analyzer/rules/signatures/signature_sieve_hash.h"

namespace inquest::rules {
namespace {

// Lines that training runs are full of.
constexpr std::string_view kLines =
    "2031-02-03 04:05:06,007 - INFO - trainer - Epoch 3 step 120/900 loss=1.25 "
    "lr=0.0001 grad_norm=2.5 tokens/s=1033 time: 0.52 eta: 1:02:03\n"
    "[rank0]: DEBUG gathered shard 12 of layer4.attention in 1.7 ms\n"
    "[1,0]<stdout>: iteration 100/1000 | elapsed time per iteration (ms): 812.5"
    " | learning rate: 1.0e-05 | global batch size: 512 | lm loss: 2.1 | loss "
    "scale: 1.0 | number of skipped iterations: 0\n"
    "training validation test evaluation accuracy: 0.91 throughput samples per "
    "second running requests usage, GPU memory: 31%, data loading\n"
    "{'train_loss': 0.51, 'learning_rate': 1e-05, 'epoch': 0.3}\n"
    "node1:4711:4712 [0] NCCL INFO Channel 01/0 : 0[0] -> 1[1] via P2P/read\n"
    "/usr/lib/python3/site-packages/torch/module.py:88: UserWarning: the model "
    "will not be saved with this version of the library\n"
    "Saving checkpoint to the output directory, and starting from the config "
    "file with function arguments, please use the default value instead of "
    "this option for the current process and its device\n"
    "INFO 02-03 04:05:06 [loggers.py:127] Engine 000: Avg prompt throughput: "
    "10.2 tokens/s, Running: 2 reqs, Waiting: 0 reqs, GPU KV cache usage: 1.2%";

// Roughly how rare each byte, folded, is in logs: its index in this list.
constexpr std::array<uint8_t, 256> kRarity = [] {
  constexpr std::string_view kCommon =
      " etaoinsr0l1cdup.m_2g/:fh=-b34y5,v6kw78x9'()j\"q[z]";
  std::array<uint8_t, 256> rarity{};
  rarity.fill(static_cast<uint8_t>(kCommon.size()));
  for (size_t i = 0; i < kCommon.size(); ++i) {
    rarity[static_cast<unsigned char>(kCommon[i] | ' ')] =
        static_cast<uint8_t>(i);
  }
  return rarity;
}();

}  // namespace

CommonPieces::CommonPieces() {
  for (size_t at = 0; at + sizeof(uint32_t) <= kLines.size(); ++at) {
    ++ordinary_[sieve::Load(&kLines[at])];
  }
}

// What is in these lines is more common than all that is not.
int CommonPieces::CountOf(uint32_t bytes) const {
  int count = 0;
  for (int shift = 0; shift < 32; shift += 8) {
    count -= kRarity[bytes >> shift & 0xFF];
  }
  const auto known = ordinary_.find(bytes);
  return count + (known == ordinary_.end() ? 0 : 1000 * known->second);
}

}  // namespace inquest::rules
