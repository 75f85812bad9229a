// SPDX-License-Identifier: Apache-2.0
// Rows of the facts that reports quote most, as sentences: "15:28:43.1 UTC
// cudaMalloc of 512.00 MiB on GPU 0 refused". Used for evidence.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace inquest::findings {

// A row's columns as text, without those that are NULL.
using RowText = std::map<std::string, std::string, std::less<>>;

// Empty for facts that have no sentence of their own.
std::string RowSentence(std::string_view fact, const RowText& row);

}  // namespace inquest::findings
