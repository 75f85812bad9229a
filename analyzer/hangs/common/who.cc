// SPDX-License-Identifier: Apache-2.0
#include "analyzer/hangs/common/who.h"

#include <fmt/format.h>

namespace inquest::hangs {

std::string Listed(const std::vector<std::string>& names, size_t most) {
  std::string text;
  for (size_t i = 0; i < names.size() && i < most; ++i) {
    text += (text.empty() ? "" : ", ") + names[i];
  }
  if (names.size() <= most) return text;
  return text + fmt::format(" and {} more", names.size() - most);
}

}  // namespace inquest::hangs
