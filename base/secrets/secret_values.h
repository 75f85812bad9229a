// SPDX-License-Identifier: Apache-2.0
// What a secret itself looks like: tokens with a known prefix, random texts;
// and what is not secret in the place of one: numbers, files, code.
#pragma once

#include <string_view>

#include "base/secrets/secret_names.h"

namespace inquest::secrets {

// The part of `word` that is a token with a known prefix, from its first random
// character on (the prefix tells whose it is); empty if there is none. `word`
// consists of letters, digits, '_', '-' and '.'.
std::string_view TokenIn(std::string_view word);

// Letters mixed with digits, or of both cases, as only generators write.
bool LooksRandom(std::string_view text);

// Whether `value` is to be masked where a name of that kind stands before it.
bool IsSecretValue(NameKind kind, std::string_view value);

// A line of a program: api_key=self.api_key, password = getpass(…). `rest`
// follows the value.
bool IsCode(std::string_view value, std::string_view rest);

// A lower-case word with others behind it, or one that tells a state: "token:
// expired".
bool IsProse(std::string_view value, std::string_view rest);

// A name of a program, loadTpcKernels: letters in few humps.
bool IsIdentifier(std::string_view value);

}  // namespace inquest::secrets
