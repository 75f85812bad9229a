// SPDX-License-Identifier: Apache-2.0
// Cards by name, for "the smallest such card". Their memory is what CUDA
// reports (cudaDeviceProp.totalGlobalMem, which PyTorch prints as "total
// capacity"): less than the name says and less than nvidia-smi shows, because
// ECC, the driver and the firmware use some.
//
// Sources: NVIDIA's data sheets for the nominal sizes; for the usable memory
// public error messages of PyTorch ("GPU 0 has a total capacity of … GiB") and
// device listings of llama.cpp ("VRAM: … MiB"), in issues and reports that name
// the card, or only the size if few name it (8 and 10 GB). They differ between
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
  double gib;  // with two decimals, as in such lines
};

// By ascending size.
std::span<const KnownCard> KnownCards();

// The smallest card with at least `bytes`; without a name if there is none.
Card SmallestCard(int64_t bytes);

}  // namespace inquest::whatif
