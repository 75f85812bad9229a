// SPDX-License-Identifier: Apache-2.0
#include "analyzer/whatif/trials/cards.h"

namespace inquest::whatif {
namespace {

constexpr double kGiB = 1 << 30;
constexpr double kRounding = 0.005;  // of a value with two decimals, GiB

// The comment has the largest value seen, if it differs.
constexpr KnownCard kCards[] = {
    {"RTX 2070 or 2080, 3050 to 3070 Ti, 4060 or 5060 (8 GB)",
     7.52},                                              // to 7.81
    {"RTX 3080 (10 GB)", 9.62},                          // to 9.78
    {"RTX 2080 Ti (11 GB)", 10.57},                      // to 10.76
    {"RTX 3060, 3080 Ti, 4070 or 5070 (12 GB)", 11.49},  // to 11.76
    {"T4 (16 GB)", 14.56},                               // to 14.76
    // to 15.51, of the 40 series 15.60
    {"RTX 4060 Ti, 4080, 5060 Ti, 5070 Ti or 5080 (16 GB)", 15.43},
    {"RTX A4000 (16 GB)", 15.61},
    {"V100 (16 GB)", 15.75},  // to 15.78
    {"A16 (16 GB a GPU, nominal)", 16.00},
    {"A10, A10G or L4 (24 GB)", 21.95},                          // to 22.18
    {"RTX 3090 or 4090, A5000 or A30 (24 GB)", 23.51},           // to 23.68
    {"RTX 5090 (32 GB)", 31.35},                                 // to 31.40
    {"V100 (32 GB)", 31.73},                                     // 32494 MiB
    {"A100 (40 GB)", 39.25},                                     // to 39.59
    {"A40, L40, L40S or RTX 6000 Ada with ECC (48 GB)", 44.34},  // to 44.67
    {"RTX A6000 or 6000 Ada (48 GB)", 47.40},                    // to 47.54
    {"A100 or H100 (80 GB)", 79.10},                             // to 79.35
    {"H100 NVL (94 GB)", 93.02},                                 // to 93.11
    {"GH200 (96 GB)", 94.50},                                    // to 94.88
    {"RTX PRO 6000 (96 GB)", 94.97},
    {"H20 (96 GB)", 95.00},     // to 95.22
    {"H200 (141 GB)", 139.72},  // to 139.81
    {"GH200 (144 GB, nominal)", 144.00},
    {"B200 (180 GB)", 178.35},  // to 178.36
    {"GB200 (186 GB)", 184.31},
    {"B300 (288 GB)", 267.69},
    {"GB300 (288 GB)", 276.50},
};

}  // namespace

std::span<const KnownCard> KnownCards() {
  return kCards;
}

Card SmallestCard(int64_t bytes) {
  for (const KnownCard& card : kCards) {
    const auto has = static_cast<int64_t>((card.gib - kRounding) * kGiB);
    if (has >= bytes) return {card.name, has};
  }
  return {};
}

}  // namespace inquest::whatif
