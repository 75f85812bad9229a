// SPDX-License-Identifier: Apache-2.0
// For terminals that cannot show Unicode: the few marks that reports use, in
// ASCII. Characters of names and logs stay as they are.
#pragma once

#include <string>
#include <string_view>

namespace inquest::report {

std::string InAscii(std::string_view text);

}  // namespace inquest::report
