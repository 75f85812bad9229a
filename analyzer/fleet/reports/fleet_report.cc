// SPDX-License-Identifier: Apache-2.0
#include "analyzer/fleet/reports/fleet_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/units.h"

namespace inquest::fleet {
namespace {

using Row = std::vector<std::string>;

constexpr size_t kWidestField = 70;

// The name of a column says its unit.
std::string Shown(const std::string& column, const Field& field) {
  if (field.index() == 0) return "unknown";
  if (const auto* text = std::get_if<std::string>(&field)) {
    return Printable(*text, kWidestField);
  }
  const auto* whole = std::get_if<int64_t>(&field);
  const double number =
      whole != nullptr ? static_cast<double>(*whole) : std::get<double>(field);
  if (column.starts_with("share")) return fmt::format("{:.1f} %", 100 * number);
  if (column.ends_with("_time") && whole != nullptr) {
    return FormatTime(*whole).substr(0, 16);
  }
  if (column.ends_with("hours")) return fmt::format("{:.1f}", number);
  if (number == static_cast<double>(static_cast<int64_t>(number))) {
    return FormatCount(static_cast<int64_t>(number));
  }
  return fmt::format("{:g}", number);
}

// "gpu_hours" → "GPU-hours".
std::string Heading(std::string name) {
  if (name == "gpu_hours") return "GPU-hours";
  std::ranges::replace(name, '_', ' ');
  return name;
}

bool IsNumber(const Rows& rows, size_t column) {
  for (const Fields& row : rows.rows) {
    if (std::holds_alternative<std::string>(row[column])) return false;
  }
  return true;
}

// In characters, not bytes.
size_t WidthOf(const std::string& text) {
  return static_cast<size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string Padded(const std::string& text, size_t width, bool right) {
  const std::string space(width - std::min(width, WidthOf(text)), ' ');
  return right ? space + text : text + space;
}

std::string Table(const Rows& rows) {
  std::vector<Row> lines(1);
  for (const std::string& name : rows.columns) {
    lines.front().push_back(Heading(name));
  }
  for (const Fields& row : rows.rows) {
    Row& line = lines.emplace_back();
    for (size_t i = 0; i < row.size(); ++i) {
      line.push_back(Shown(rows.columns[i], row[i]));
    }
  }
  std::vector<std::string> out(lines.size());
  for (size_t i = 0; i < rows.columns.size(); ++i) {
    size_t width = 0;
    for (const Row& line : lines) width = std::max(width, WidthOf(line[i]));
    const bool right = IsNumber(rows, i);
    for (size_t n = 0; n < lines.size(); ++n) {
      out[n] += "  " + Padded(lines[n][i], width, right);
    }
  }
  std::string text;
  for (std::string& line : out) {
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

// One row reads better as a column.
std::string List(const Rows& rows) {
  size_t width = 0;
  for (const std::string& name : rows.columns) {
    width = std::max(width, Heading(name).size());
  }
  std::string text;
  for (size_t i = 0; i < rows.columns.size(); ++i) {
    text += "  " + Padded(Heading(rows.columns[i]), width, false) + "  " +
            Shown(rows.columns[i], rows.rows.front()[i]) + "\n";
  }
  return text;
}

nlohmann::ordered_json JsonOf(const Field& field) {
  if (const auto* text = std::get_if<std::string>(&field)) return *text;
  if (const auto* real = std::get_if<double>(&field)) {
    // PostgreSQL's sums of whole numbers have another type than SQLite's.
    const auto whole = static_cast<int64_t>(*real);
    if (static_cast<double>(whole) == *real) return whole;
    return *real;
  }
  if (const auto* number = std::get_if<int64_t>(&field)) return *number;
  return nullptr;
}

}  // namespace

std::string FleetText(const std::vector<Section>& sections) {
  std::string text;
  for (const Section& section : sections) {
    const Rows& rows = section.answer;
    text +=
        (text.empty() ? "" : "\n") + Printable(section.question.title) + "\n";
    if (rows.rows.empty()) {
      text += "  none\n";
    } else if (rows.rows.size() == 1 && section.question.id == "overview") {
      text += List(rows);
    } else {
      text += Table(rows);
    }
    if (!section.question.note.empty()) {
      text += "  (" + Printable(section.question.note) + ")\n";
    }
  }
  return text;
}

std::string FleetJson(const std::vector<Section>& sections,
                      const std::string& kind) {
  nlohmann::ordered_json all = {{"schema", "inquest.fleet/1"},
                                {"database", kind},
                                {"sections", nlohmann::ordered_json::array()}};
  for (const Section& section : sections) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const Fields& row : section.answer.rows) {
      nlohmann::ordered_json one;
      for (size_t i = 0; i < row.size(); ++i) {
        one[section.answer.columns[i]] = JsonOf(row[i]);
      }
      rows.push_back(std::move(one));
    }
    all["sections"].push_back({{"id", section.question.id},
                               {"title", section.question.title},
                               {"note", section.question.note},
                               {"rows", std::move(rows)}});
  }
  return JsonText(all, 2) + "\n";
}

}  // namespace inquest::fleet
