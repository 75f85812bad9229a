// SPDX-License-Identifier: Apache-2.0
// Words that are common in training logs. A signature whose only literal is one
// of them is tried on nearly every line: such words are chosen last among a
// pattern's literals, and lint warns if there is no other.
#pragma once

#include <string_view>

namespace inquest::rules {

// Whether the literal, without surrounding punctuation, is such a word or a
// piece of one; not one behind a shell's prompt: "$ python". Lower case.
bool IsCommonWord(std::string_view literal);

// Whether all its words are such words: "nccl info", "grad_norm".
bool IsOfCommonWords(std::string_view literal);

}  // namespace inquest::rules
