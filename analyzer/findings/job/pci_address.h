// SPDX-License-Identifier: Apache-2.0
// One spelling of a GPU's address on the PCI bus, so that lines of different
// drivers and tools can be compared.
#pragma once

#include <string>

namespace inquest::findings {

// "0000:1a:00.0" and "0000:1a:00" are one GPU; old drivers leave out the
// domain, nvidia-smi writes eight digits of it.
std::string PciAddress(std::string pci);

}  // namespace inquest::findings
