#include "analyzer/whatif/cards.h"

namespace inquest::whatif {
namespace {

struct Row {
  const char* name;
  double gib;
};

constexpr Row kCards[] = {
    {"RTX 3060 Ti or 3070 (8 GB)", 7.66},
    {"RTX 2080 Ti (11 GB)", 10.75},
    {"RTX 3060 or 4070 (12 GB)", 11.62},
    {"T4 (16 GB)", 14.56},
    {"V100 (16 GB)", 15.77},
    {"A10 or L4 (24 GB)", 22.03},
    {"RTX 3090 or 4090 (24 GB)", 23.52},
    {"RTX 5090 (32 GB)", 31.36},
    {"V100 (32 GB)", 31.73},
    {"A100 (40 GB)", 39.38},
    {"A40, L40 or L40S (48 GB)", 44.30},
    {"RTX A6000 (48 GB)", 47.40},
    {"A100 or H100 (80 GB)", 79.10},
    {"H100 NVL (94 GB)", 93.00},
    {"H200 (141 GB)", 139.70},
    {"B200 (180 GB)", 178.00},
    {"B300 (288 GB)", 267.00},
};

}  // namespace

Card SmallestCard(int64_t bytes) {
  for (const Row& row : kCards) {
    const auto has = static_cast<int64_t>(row.gib * (1 << 30));
    if (has >= bytes) return {row.name, has};
  }
  return {};
}

}  // namespace inquest::whatif
