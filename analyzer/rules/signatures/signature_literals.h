// SPDX-License-Identifier: Apache-2.0
// Finds the literals that a line must contain for a pattern to match. RE2's
// FilteredRE2 analyses the expression; this reduces its answer to a small set,
// at least one of which is in each matching line.
#pragma once

#include <re2/re2.h>

#include <memory>
#include <string>

#include "analyzer/rules/model/literals.h"

namespace inquest::rules {

// UTF-8; those of `any` have at least `shortest` bytes. None if the pattern is
// invalid.
Literals LiteralsOf(const std::string& pattern, size_t shortest);

struct TakenApart {
  std::shared_ptr<const re2::RE2> compiled;  // never null, maybe not ok()
  Literals literals;
};

// Both for the price of one: RE2 compiles the pattern for the literals anyway.
TakenApart TakeApart(const std::string& pattern, size_t shortest);

}  // namespace inquest::rules
