// SPDX-License-Identifier: Apache-2.0
// Words that ordinary lines of training logs hold. A signature that asks for no
// more than one of them has its expression tried nearly everywhere: such words
// are chosen last among a pattern's literals, and lint warns where there is no
// other choice.
#pragma once

#include <string_view>

namespace inquest::rules {

// Whether the literal, without what is no letter or digit around it, is such a
// word or a piece of one. Lower case.
bool IsCommonWord(std::string_view literal);

}  // namespace inquest::rules
