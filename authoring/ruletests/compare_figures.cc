#include "authoring/ruletests/compare_figures.h"

#include <algorithm>
#include <cmath>

#include "base/glob.h"
#include "base/json_text.h"
#include "base/units.h"

namespace inquest::ruletests {
namespace {

using nlohmann::json;

constexpr double kRounding = 0.005;  // logs print two or three digits

bool NumbersFit(double expected, double got) {
  return std::abs(expected - got) <= std::abs(expected) * kRounding;
}

bool FitsOne(const json& expected, const json& got) {
  if (expected.is_boolean() && got.is_number()) {
    return got == (expected.get<bool>() ? 1 : 0);
  }
  if (expected.is_number_integer() && got.is_number_integer()) {
    return expected == got;
  }
  if (expected.is_number() && got.is_number()) {
    return NumbersFit(expected.get<double>(), got.get<double>());
  }
  if (expected.is_string() && got.is_number()) {
    const auto bytes = ParseBytes(expected.get<std::string>());
    return bytes && NumbersFit(static_cast<double>(*bytes), got.get<double>());
  }
  if (expected.is_string() && got.is_string()) {
    return MatchesGlob(expected.get<std::string>(), got.get<std::string>());
  }
  return expected == got;
}

}  // namespace

bool Fits(const json& expected, const json& got) {
  if (expected.is_array()) {
    return std::all_of(expected.begin(), expected.end(),
                       [&](const json& one) { return Fits(one, got); });
  }
  if (got.is_array()) {
    return std::any_of(got.begin(), got.end(),
                       [&](const json& one) { return FitsOne(expected, one); });
  }
  return FitsOne(expected, got);
}

bool NamesIt(std::string_view pattern, std::string_view cause,
             std::string_view rule) {
  return MatchesGlob(pattern, cause) || MatchesGlob(pattern, rule);
}

std::string Shown(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  return JsonText(value);
}

}  // namespace inquest::ruletests
