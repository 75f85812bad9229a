// SPDX-License-Identifier: Apache-2.0
#include "analyzer/comparison/comparison_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/places.h"
#include "base/units.h"

namespace inquest::comparison {
namespace {

using nlohmann::json;

constexpr size_t kWidest = 90;

std::string Shown(Unit unit, const std::optional<Value>& value) {
  if (!value) return "—";
  switch (unit) {
    case Unit::kBytes:
      return FormatBytes(value->number);
    case Unit::kNanoseconds:
      return FormatDuration(value->number);
    case Unit::kCount:
      return FormatCount(value->number);
    default:
      return Printable(value->text, kWidest);
  }
}

// A site on other lines than before: which ones those were.
std::string MovedText(const Difference& one) {
  if (one.moved_from.empty()) return {};
  const size_t end = one.moved_from.find(" < ");
  return "  (moved from " +
         Printable(WithoutFolders(one.moved_from.substr(0, end)), kWidest) +
         ")";
}

std::string Mark(const Difference& one) {
  if (!one.good) return "  (new)";
  if (!one.bad) return "  (gone)";
  if (one.unit != Unit::kBytes) return {};
  return fmt::format("  ({}{})", one.growth() < 0 ? "-" : "+",
                     FormatBytes(std::abs(one.growth())));
}

std::string SectionText(const Section& section, size_t most) {
  if (section.differences.empty() && section.moved == 0) return {};
  std::string text = section.title;
  if (section.at_steps) {
    text +=
        fmt::format(", after {} steps of both", FormatCount(*section.at_steps));
  }
  text += "\n";
  for (size_t i = 0; i < std::min(most, section.differences.size()); ++i) {
    const Difference& one = section.differences[i];
    text += fmt::format("  {}: {} -> {}{}\n",
                        Printable(WithoutFolders(one.what), kWidest),
                        Shown(one.unit, one.good), Shown(one.unit, one.bad),
                        Mark(one) + MovedText(one));
  }
  if (section.moved > 0) {
    text += fmt::format("  {} only moved to other lines\n",
                        FormatCount(section.moved));
  }
  if (section.differences.size() > most) {
    text += fmt::format("  … and {} more\n", section.differences.size() - most);
  }
  return text;
}

json ValueJson(Unit unit, const std::optional<Value>& value) {
  if (!value) return nullptr;
  return unit == Unit::kText ? json(value->text) : json(value->number);
}

const char* Word(Unit unit) {
  switch (unit) {
    case Unit::kBytes:
      return "bytes";
    case Unit::kNanoseconds:
      return "ns";
    case Unit::kCount:
      return "count";
    default:
      return "text";
  }
}

json SideJson(const Side& side) {
  return {
      {"path", side.path}, {"cause", side.cause}, {"summary", side.summary}};
}

}  // namespace

std::string ComparisonJson(const Comparison& comparison) {
  json sections = json::object();
  for (const Section& section : comparison.sections) {
    json differences = json::array();
    for (const Difference& one : section.differences) {
      differences.push_back({{"what", one.what},
                             {"unit", Word(one.unit)},
                             {"good", ValueJson(one.unit, one.good)},
                             {"bad", ValueJson(one.unit, one.bad)}});
      if (!one.moved_from.empty()) {
        differences.back()["moved_from"] = one.moved_from;
      }
    }
    sections[section.id] = {{"differences", differences},
                            {"same", section.same}};
    if (section.moved > 0) sections[section.id]["moved"] = section.moved;
    if (section.at_steps) sections[section.id]["at_steps"] = *section.at_steps;
  }
  const json report = {{"schema", "inquest.diff/1"},
                       {"good", SideJson(comparison.good)},
                       {"bad", SideJson(comparison.bad)},
                       {"sections", sections}};
  return JsonText(report, 2) + "\n";
}

std::string ComparisonText(const Comparison& comparison, size_t most) {
  std::string text;
  for (const auto& [name, side] : {std::pair{"good", &comparison.good},
                                   std::pair{"bad", &comparison.bad}}) {
    text += fmt::format("{:<4}  {}\n      {}: {}\n", name,
                        Printable(side->path, kWidest), side->cause,
                        Printable(side->summary, 2 * kWidest));
  }
  std::string sections;
  for (const Section& section : comparison.sections) {
    sections += SectionText(section, most);
  }
  return text + (sections.empty() ? "No difference found\n" : sections);
}

}  // namespace inquest::comparison
