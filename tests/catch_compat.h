// SPDX-License-Identifier: Apache-2.0
// Catch2 as Debian 12 has it (2) and as Ubuntu 24.04 has it (3), under the
// names of version 2. Every unit test includes this and nothing of Catch2's
// own. For text that must contain another: REQUIRE_THAT(text, HasText("part")).
#pragma once

#include <string>

#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
using Catch::Approx;
inline auto HasText(const std::string& part) {
  return Catch::Matchers::ContainsSubstring(part);
}
#else
#include <catch2/catch.hpp>
inline auto HasText(const std::string& part) {
  return Catch::Matchers::Contains(part);
}
#endif

// How many rounds a random test goes: fewer under a sanitizer, where each takes
// ten times as long.
constexpr int Rounds(int usual) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return (usual + 7) / 8;
#else
  return usual;
#endif
}
