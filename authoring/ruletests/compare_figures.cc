// SPDX-License-Identifier: Apache-2.0
#include "authoring/ruletests/compare_figures.h"

#include <algorithm>
#include <cmath>

#include "base/glob.h"
#include "base/units.h"

namespace inquest::ruletests {
namespace {

constexpr double kRounding = 0.005;  // logs print two or three digits

bool NumbersFit(double expected, double got) {
  return std::abs(expected - got) <= std::abs(expected) * kRounding;
}

bool FitsOne(const Figure& expected, const Figure& got) {
  if (expected.IsBool() && got.IsNumber()) {
    return got == (expected.Bool() ? 1 : 0);
  }
  if (expected.IsInteger() && got.IsInteger()) {
    return expected == got;
  }
  if (expected.IsNumber() && got.IsNumber()) {
    return NumbersFit(expected.Real(), got.Real());
  }
  if (expected.IsText() && got.IsNumber()) {
    const auto bytes = ParseBytes(expected.Text());
    return bytes && NumbersFit(static_cast<double>(*bytes), got.Real());
  }
  if (expected.IsText() && got.IsText()) {
    return MatchesGlob(expected.Text(), got.Text());
  }
  return expected == got;
}

}  // namespace

bool Fits(const Figure& expected, const Figure& got) {
  const Figure::List wanted = expected.AsList();
  const Figure::List values = got.AsList();
  return std::all_of(wanted.begin(), wanted.end(), [&](const Figure& one) {
    return std::any_of(values.begin(), values.end(), [&](const Figure& value) {
      return FitsOne(one, value);
    });
  });
}

bool NamesIt(std::string_view pattern, std::string_view cause,
             std::string_view rule) {
  return MatchesGlob(pattern, cause) || MatchesGlob(pattern, rule);
}

std::string Shown(const Figure& value) {
  if (value.IsText()) return value.Text();
  return JsonText(value);
}

}  // namespace inquest::ruletests
