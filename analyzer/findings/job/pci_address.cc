// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/job/pci_address.h"

namespace inquest::findings {

std::string PciAddress(std::string pci) {
  for (char& c : pci) c = c >= 'A' && c <= 'F' ? static_cast<char>(c + 32) : c;
  if (const size_t dot = pci.find('.'); dot != pci.npos) pci.resize(dot);
  if (pci.size() == 5) pci.insert(0, "0000:");
  if (pci.size() > 10 && pci.find(':') == 8) pci.erase(0, 4);
  return pci;
}

}  // namespace inquest::findings
