// Cards by name, for "the smallest with which it would have survived". What
// they have is what CUDA says of them (cudaDeviceProp.totalGlobalMem, which
// PyTorch prints as "total capacity"): less than the name says, and less than
// nvidia-smi does, by what ECC, the driver and the firmware keep.
//
// Sources: NVIDIA's data sheets for which card has what size; for what is left
// of it public error messages of PyTorch ("GPU 0 has a total capacity of …
// GiB") and listings of devices by llama.cpp ("VRAM: … MiB"), in issues and
// reports that name the card, or the size where few name it (8 and 10 GB). They
// differ between drivers by up to 2 %; the least that was seen on Linux stands
// here, so that what is named suffices. A card of which no such line was found
// has the size of its data sheet and is marked nominal.
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

// The one with the least memory that is at least so much; no name where none
// is.
Card SmallestCard(int64_t bytes);

}  // namespace inquest::whatif
