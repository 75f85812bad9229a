// SPDX-License-Identifier: Apache-2.0
// The texts of which RE2 says that a pattern needs some: its atoms, in lower
// case. Called by signature_literals.cc.
#pragma once

#include <re2/filtered_re2.h>

#include <functional>
#include <string>
#include <vector>

namespace inquest::rules {

class PatternAtoms {
 public:
  // `filter` holds this pattern alone, is not compiled and outlives this.
  PatternAtoms(const std::string& pattern, re2::FilteredRE2* filter);

  // The text by which an atom can be found; empty: by none.
  using Usable = std::function<std::string(const std::string& atom)>;
  // Texts one of which is in each line that the pattern matches, sorted: few,
  // and no common word where that can be avoided. Empty: the usable ones do not
  // suffice.
  std::vector<std::string> Cover(const Usable& usable) const;

  // The longest piece of an atom that a search for bytes can rely on.
  std::string PieceOf(const std::string& atom) const;

 private:
  bool IsPotential(const std::vector<int>& present) const;

  const re2::FilteredRE2& filter_;
  std::vector<std::string> atoms_;
  bool keeps_;  // letters outside ASCII can be relied on
};

}  // namespace inquest::rules
