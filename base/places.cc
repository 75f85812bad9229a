// SPDX-License-Identifier: Apache-2.0
#include "base/places.h"

namespace inquest {

std::string WithoutFolders(std::string_view chain) {
  static constexpr std::string_view kCaller = " < ";
  std::string text;
  while (true) {
    const size_t end = chain.find(kCaller);
    std::string_view one = chain.substr(0, end);
    // Only for paths: operators and templates may contain a slash, too.
    if (!one.empty() && one.front() == '/') {
      const size_t name = one.find(" in ");
      one.remove_prefix(one.substr(0, name).rfind('/') + 1);
    }
    text += one;
    if (end == chain.npos) return text;
    text += kCaller;
    chain.remove_prefix(end + kCaller.size());
  }
}

}  // namespace inquest
