// SPDX-License-Identifier: Apache-2.0
// How large a YAML file may be. Separate from yaml.h, so that callers of the
// loader do not include the representation of YAML.
#pragma once

#include <cstddef>

namespace inquest::rules {

struct YamlLimits {
  size_t bytes = 5u << 20;
  size_t nodes = 50000;
  size_t depth = 24;
};

}  // namespace inquest::rules
