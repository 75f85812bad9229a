// SPDX-License-Identifier: Apache-2.0
#include "core/text.h"

#include <cctype>
#include <limits>

#include "core/config.h"

namespace simgpu {
namespace {

struct Unit {
  const char* name;
  uint64_t factor;
};

constexpr Unit kUnits[] = {
    {"", 1},
    {"B", 1},
    {"K", uint64_t{1} << 10},
    {"KIB", uint64_t{1} << 10},
    {"KB", 1000},
    {"M", uint64_t{1} << 20},
    {"MIB", uint64_t{1} << 20},
    {"MB", 1000 * 1000},
    {"G", uint64_t{1} << 30},
    {"GIB", uint64_t{1} << 30},
    {"GB", 1000 * 1000 * 1000},
    {"T", uint64_t{1} << 40},
    {"TIB", uint64_t{1} << 40},
};

std::string Trim(const std::string& text) {
  size_t begin = 0;
  size_t end = text.size();
  while (begin < end && std::isspace(static_cast<unsigned char>(text[begin]))) {
    ++begin;
  }
  while (end > begin &&
         std::isspace(static_cast<unsigned char>(text[end - 1]))) {
    --end;
  }
  return text.substr(begin, end - begin);
}

std::string Upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(c & 0x7f));
  return text;
}

bool Scale(uint64_t number, uint64_t factor, uint64_t* bytes) {
  if (number > std::numeric_limits<uint64_t>::max() / factor) return false;
  *bytes = number * factor;
  return true;
}

}  // namespace

bool ParseNumber(const std::string& text, uint64_t* number) {
  if (text.empty() || text.size() > 19) return false;
  uint64_t value = 0;
  for (char c : text) {
    if (c < '0' || c > '9') return false;
    value = value * 10 + static_cast<uint64_t>(c - '0');
  }
  *number = value;
  return true;
}

bool ParseBytes(const std::string& text, uint64_t* bytes) {
  const size_t digits = text.find_first_not_of("0123456789");
  uint64_t number = 0;
  if (!ParseNumber(text.substr(0, digits), &number)) return false;
  const std::string unit =
      digits == std::string::npos ? "" : Upper(Trim(text.substr(digits)));
  for (const Unit& known : kUnits) {
    if (unit == known.name) return Scale(number, known.factor, bytes);
  }
  return false;
}

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  size_t begin = 0;
  while (begin <= text.size()) {
    const size_t end = std::min(text.find(separator, begin), text.size());
    const std::string part = Trim(text.substr(begin, end - begin));
    if (!part.empty()) parts.push_back(part);
    begin = end + 1;
  }
  return parts;
}

}  // namespace simgpu
