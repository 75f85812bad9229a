// SPDX-License-Identifier: Apache-2.0
// Cards by name, for "the smallest such card". Their memory is what CUDA
// reports (cudaDeviceProp.totalGlobalMem, which PyTorch prints as "total
// capacity"): less than the name says, and less than nvidia-smi shows, by what
// ECC, the driver and the firmware keep.
//
// Sources: NVIDIA's data sheets for the sizes; for what is left of them public
// error messages of PyTorch ("GPU 0 has a total capacity of … GiB") and device
// listings of llama.cpp ("VRAM: … MiB"), in issues and reports that name the
// card, or only the size if few name it (8 and 10 GB). They differ between
// drivers by up to 2 %; the smallest one seen on Linux is used, so that the
// named card is large enough. A card for which no such line was found has the
// size of its data sheet and is marked nominal.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace inquest::whatif {

struct Card {
  std::string name;  // as in "T4 (16 GB)"
  int64_t bytes = 0;
};

struct KnownCard {
  const char* name;
  double gib;  // to two digits, as such lines have it
};

// By ascending size.
std::span<const KnownCard> KnownCards();

// The card with the least memory that has at least so much; no name if none
// has.
Card SmallestCard(int64_t bytes);

}  // namespace inquest::whatif
