// SPDX-License-Identifier: Apache-2.0
// The answers about a fleet as text and as JSON. Only formats. What is not
// known is called so, never left blank; text from logs is made printable.
#pragma once

#include <string>
#include <vector>

#include "analyzer/fleet/reports/sections.h"

namespace inquest::fleet {

std::string FleetText(const std::vector<Section>& sections);
// The contract "inquest.fleet/1": rows as objects by column.
std::string FleetJson(const std::vector<Section>& sections,
                      const std::string& kind);

}  // namespace inquest::fleet
