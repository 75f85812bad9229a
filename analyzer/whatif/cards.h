// Cards by name, for "the smallest with which it would have survived". What
// they have is what CUDA says of them (cudaDeviceProp.totalGlobalMem), which is
// less than the name says: NVIDIA's data sheets for the size, public error
// messages of PyTorch ("GPU 0 has a total capacity of …") for what is left of
// it.
#pragma once

#include <cstdint>
#include <string>

namespace inquest::whatif {

struct Card {
  std::string name;
  int64_t bytes = 0;
};

// The one with the least memory that is at least so much; no name where none
// is.
Card SmallestCard(int64_t bytes);

}  // namespace inquest::whatif
