// SPDX-License-Identifier: Apache-2.0
#include "analyzer/rules/model/exceptions.h"

#include <algorithm>

namespace inquest::rules {
namespace {

// SQL has no booleans: a column holds 0 or 1.
bool Same(const Figure& wanted, const Figure& found) {
  if (wanted.IsBool() && found.IsNumber()) {
    return found == Figure(wanted.Bool() ? 1 : 0);
  }
  return wanted == found;
}

bool Agrees(const Figure& wanted, const Figure& found) {
  if (!wanted.IsList()) return Same(wanted, found);
  const Figure::List& any = wanted.Items();
  return std::any_of(any.begin(), any.end(),
                     [&](const Figure& one) { return Same(one, found); });
}

}  // namespace

bool Excepts(const Exception& exception, const Figures& columns) {
  for (const Figures& tuple : exception.tuples) {
    bool all = true;
    for (const auto& [name, wanted] : tuple) {
      const Figure& found = columns[name];
      all = all && !found.IsNull() && Agrees(wanted, found);
    }
    if (all) return true;
  }
  return false;
}

}  // namespace inquest::rules
