// SPDX-License-Identifier: Apache-2.0
// The main function of the unit tests where Catch2 2 leaves it to us; with
// Catch2 3 this file is empty and the library brings its own.
#if !__has_include(<catch2/catch_test_macros.hpp>)
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#endif
